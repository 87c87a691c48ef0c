/// The page's style sheet.
enum ReportStyle {
    static let css = colors + layout + charts + tables + media

    private static let colors = """
        :root{--bg:#f4f5f7;--card:#fff;--ink:#16191f;--soft:#5b6472;--line:#e3e6eb;--grid:#eceef2;\
        --c1:#2f6bde;--c2:#d9720b;--c3:#8446c9;--c4:#7d8795;--c5:#0f8a7e;--bad:#d02f3c;--good:#15803d;--warn:#a35c00;\
        --goodbg:#e8f6ed;--badbg:#fdecee;--warnbg:#fff3dc;--sat:#f0a020;\
        --h0:#cfe8dc;--h1:#e3e3a3;--h2:#f2cd6b;--h3:#ee9b4b;--h4:#dc5f3f;--h5:#a01e3c;\
        --l0:#bcd2f7;--l1:#6d9cec;--l2:#2456b8;--l3:#142f66}
        @media (prefers-color-scheme:dark){:root{--bg:#0f1216;--card:#181c22;--ink:#e9ecf1;--soft:#98a2b1;--line:#2a3038;\
        --grid:#242a32;--c1:#6ea2ff;--c2:#f5a14a;--c3:#c294f5;--c4:#8792a2;--c5:#3fc4b5;--bad:#ff6b77;--good:#54cd80;\
        --warn:#f2b350;--goodbg:#12281b;--badbg:#34181c;--warnbg:#33260f;--sat:#d9921f;\
        --h0:#1f3d31;--h1:#5c5a24;--h2:#8a6a1c;--h3:#b8691f;--h4:#d9512f;--h5:#ff5a76;\
        --l0:#23375c;--l1:#3d68b5;--l2:#79a8ff;--l3:#d0e1ff}}

        """

    private static let layout = """
        *{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%}
        body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",\
        "Liberation Sans",sans-serif;font-variant-numeric:tabular-nums}
        header,main,footer{max-width:1160px;margin:0 auto;padding:0 20px}
        header{padding-top:28px}
        h1{font-size:28px;line-height:1.2;margin:2px 0 6px;letter-spacing:-.02em;overflow-wrap:anywhere}
        h2{font-size:19px;margin:36px 0 12px;letter-spacing:-.01em}
        h3{font-size:15px;margin:0}
        p{margin:0}
        .kicker{color:var(--c1);font-weight:600;font-size:13px;letter-spacing:.02em}
        .facts,.sub,.note,figcaption p,footer{color:var(--soft);font-size:13.5px}
        .facts span{opacity:.5}
        .facts{overflow-wrap:anywhere}
        .note{margin:0 0 10px}
        .card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px 18px}
        .banner{border-radius:12px;padding:14px 18px;margin:18px 0;border-left:5px solid}
        .banner strong{font-size:18px}
        .banner ul{margin:6px 0 0;padding-left:20px}
        .banner li{overflow-wrap:anywhere}
        .good.banner{background:var(--goodbg);border-color:var(--good)}.good.banner strong{color:var(--good)}
        .fail.banner{background:var(--badbg);border-color:var(--bad)}.fail.banner strong{color:var(--bad)}
        .warn.banner{background:var(--warnbg);border-color:var(--sat)}.warn.banner strong{color:var(--warn)}
        .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px}
        .tile{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:12px 14px;display:flex;\
        flex-direction:column;min-width:0}
        .tile span,.tile small{color:var(--soft);font-size:13px}
        .tile b{font-size:25px;line-height:1.3;letter-spacing:-.02em;white-space:nowrap}
        .thresholds{list-style:none;margin:14px 0 0;padding:0;display:flex;flex-wrap:wrap;gap:8px}
        .thresholds li{background:var(--card);border:1px solid var(--line);border-radius:99px;padding:4px 13px;font-size:13px;\
        display:flex;gap:7px;align-items:baseline;min-width:0}
        .thresholds i{font-style:normal;font-weight:700}
        .thresholds .good i,.thresholds .good span{color:var(--good)}
        .thresholds .fail{border-color:var(--bad)}.thresholds .fail i,.thresholds .fail span{color:var(--bad)}
        code{font:13px/1.5 ui-monospace,"SF Mono",Menlo,"DejaVu Sans Mono","Liberation Mono",monospace;overflow-wrap:anywhere}
        footer{padding-top:30px;padding-bottom:40px}

        """

    private static let charts = """
        .charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,480px),1fr));gap:14px}
        figure{margin:0}
        .legend{list-style:none;display:flex;flex-wrap:wrap;gap:2px 14px;margin:6px 0 12px;padding:0;font-size:13px;color:var(--soft)}
        .legend li{display:flex;align-items:center;gap:6px}
        .legend i{width:14px;height:3px;border-radius:2px;background:currentColor;flex:none}
        .legend .area i,.legend .bars i,.heat i{height:11px;border-radius:3px}
        .legend .dashed i{height:0;border-radius:0;background:none;border-top:2px dashed currentColor}
        .legend .c1 i,.legend .c2 i,.legend .c3 i,.legend .c4 i,.legend .bad i{color:var(--col)}
        .c1{--col:var(--c1)}.c2{--col:var(--c2)}.c3{--col:var(--c3)}.c4{--col:var(--c4)}.c5{--col:var(--c5)}.bad{--col:var(--bad)}
        .plot{display:grid;grid-template-columns:66px minmax(0,1fr);grid-template-rows:180px 20px}
        .area{position:relative;min-width:0}
        .plot .area svg{position:absolute;inset:0;width:100%;height:100%;overflow:visible}
        .y{position:relative;font-size:11.5px;color:var(--soft)}
        .y span{position:absolute;right:8px;transform:translateY(-50%);white-space:nowrap}
        .x{position:relative;font-size:11.5px;color:var(--soft);height:20px;grid-column:2}
        .x span{position:absolute;top:4px;transform:translateX(-50%);white-space:nowrap}
        .x span:first-child{transform:translateX(-25%)}.x .end{transform:translateX(-80%)}
        .grid,.base,.line{fill:none;vector-effect:non-scaling-stroke}
        .grid{stroke:var(--grid)}.base{stroke:var(--line)}
        .line{stroke:var(--col);stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}
        .line.dashed{stroke-dasharray:5 4;stroke-width:1.6}
        .fill{fill:var(--col);fill-opacity:.13}
        .bar{fill:var(--col)}
        .sat{fill:var(--sat);fill-opacity:.22}
        .satkey{display:inline-block;width:14px;height:11px;border-radius:3px;margin-right:6px;background:var(--sat);opacity:.4}
        .hit{fill:transparent}.hit:hover{fill:var(--ink);fill-opacity:.07}
        .hrow{display:grid;grid-template-columns:130px minmax(0,1fr) 62px;align-items:center;gap:10px;font-size:12px;line-height:15px}
        .hrow svg{width:100%;height:13px;display:block;border-radius:3px;background:var(--grid)}
        .hrow .x{grid-column:auto}
        .hname{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;text-align:right}
        .hval{color:var(--soft);white-space:nowrap;text-align:right}
        .h0{--f:var(--h0)}.h1{--f:var(--h1)}.h2{--f:var(--h2)}.h3{--f:var(--h3)}.h4{--f:var(--h4)}.h5{--f:var(--h5)}
        .l0{--f:var(--l0)}.l1{--f:var(--l1)}.l2{--f:var(--l2)}.l3{--f:var(--l3)}
        .hrow rect,.layers rect{fill:var(--f)}.heat i{background:var(--f)}
        .sparks{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,230px),1fr));gap:16px 22px;margin-top:10px}
        .sname{display:flex;justify-content:space-between;gap:8px;font-size:13px;min-width:0}
        .sname b{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-weight:600}
        .sname span{color:var(--soft);white-space:nowrap}
        .rate{width:100%;height:46px;display:block;border-bottom:1px solid var(--line)}
        .layers{width:100%;height:7px;display:block;margin-top:2px;border-radius:2px}
        .slayers{font-size:11.5px;color:var(--soft)}

        """

    private static let tables = """
        .scroll{overflow-x:auto}
        table{border-collapse:collapse;width:100%;font-size:13.5px}
        th,td{padding:6px 10px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}
        tbody tr:last-child>*{border-bottom:0}
        thead th{color:var(--soft);font-weight:500;font-size:12.5px}
        tbody th{text-align:left;font-weight:600}th:first-child{text-align:left}
        .dist{width:120px;height:26px;display:inline-block;vertical-align:middle}
        .percentiles th:nth-child(2),.percentiles td:nth-child(2){text-align:left}
        details summary{cursor:pointer;font-weight:600}
        details .scroll{margin-top:10px}
        dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:5px 18px;margin:0;font-size:14px}
        dl+dl{margin-top:16px;padding-top:16px;border-top:1px solid var(--line)}
        dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}

        """

    private static let media = """
        @media (max-width:560px){header,main,footer{padding-left:12px;padding-right:12px}header{padding-top:16px}h1{font-size:23px}\
        .card{padding:13px 13px}.plot{grid-template-columns:60px minmax(0,1fr);grid-template-rows:150px 20px}\
        .tiles{grid-template-columns:1fr 1fr;gap:8px}.tile b{font-size:21px}\
        .hrow{grid-template-columns:74px minmax(0,1fr) 50px;gap:7px;font-size:11px}\
        .x span:nth-child(even){display:none}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:8px}th,td{padding:6px 7px}}
        @media print{:root{color-scheme:light;--bg:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#ccc;--grid:#e4e4e4;\
        --c1:#2f6bde;--c2:#c9650a;--c3:#8446c9;--c4:#6d7785;--bad:#d02f3c;--good:#15803d;--warn:#8a4e00;--goodbg:#e8f6ed;\
        --badbg:#fdecee;--warnbg:#fff3dc;--sat:#f0a020;--h0:#cfe8dc;--h1:#e3e3a3;--h2:#f2cd6b;--h3:#ee9b4b;--h4:#dc5f3f;--h5:#a01e3c;\
        --l0:#bcd2f7;--l1:#6d9cec;--l2:#2456b8;--l3:#142f66}\
        *{-webkit-print-color-adjust:exact;print-color-adjust:exact}body{font-size:12px}header,main,footer{max-width:none;padding:0}\
        .charts{grid-template-columns:1fr 1fr;gap:8px}.plot{grid-template-rows:96px 20px}.card{padding:10px 12px}figcaption p{font-size:11px}.legend{font-size:11px;margin:2px 0 8px}.hrow{line-height:12px;font-size:10px}.hrow svg{height:10px}h2{font-size:15px;margin-bottom:6px}\
        .card,.tile,figure,.hrow,.spark,tr{break-inside:avoid}.heatmap,details.card{break-inside:auto}h2{break-after:avoid;margin-top:16px}.sparks{grid-template-columns:repeat(3,1fr);gap:8px 14px}.rate{height:32px}\
        details::details-content{content-visibility:visible;block-size:auto}.scroll{overflow:visible}\
        .tiles{grid-template-columns:repeat(3,1fr);gap:8px}.tile b{font-size:17px}.tile{padding:8px 10px}th,td{padding:3px 5px}table{font-size:10.5px}}

        """
}
