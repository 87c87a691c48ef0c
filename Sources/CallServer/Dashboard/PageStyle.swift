/// The look of all pages: that of the load report, for phones and wide screens, light and dark.
enum PageStyle {
    static let css = colors + layout + tables + media

    private static let colors = """
        :root{--bg:#f4f5f7;--card:#fff;--ink:#16191f;--soft:#5b6472;--line:#e3e6eb;--grid:#eceef2;--c1:#2f6bde;--bad:#d02f3c;
        --good:#15803d;--warn:#a35c00;--goodbg:#e8f6ed;--badbg:#fdecee;--warnbg:#fff3dc}
        @media (prefers-color-scheme:dark){:root{--bg:#0f1216;--card:#181c22;--ink:#e9ecf1;--soft:#98a2b1;--line:#2a3038;
        --grid:#242a32;--c1:#6ea2ff;--bad:#ff6b77;--good:#54cd80;--warn:#f2b350;--goodbg:#12281b;--badbg:#34181c;--warnbg:#33260f}}

        """

    private static let layout = """
        *{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%;color-scheme:light dark}
        body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",
        "Liberation Sans",sans-serif;font-variant-numeric:tabular-nums}
        header,main,footer{max-width:1160px;margin:0 auto;padding:0 20px}
        header{padding-top:28px}
        h1{font-size:28px;line-height:1.2;margin:2px 0 6px;letter-spacing:-.02em}
        h2{font-size:19px;margin:30px 0 12px;letter-spacing:-.01em;overflow-wrap:anywhere}
        h3{font-size:16px;margin:0;overflow-wrap:anywhere}
        p{margin:0}
        .kicker{color:var(--c1);font-weight:600;font-size:13px;letter-spacing:.02em}
        .soft,footer,label span{color:var(--soft);font-size:13.5px}
        .card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:14px 16px;min-width:0}
        .people{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,480px),1fr));gap:14px}
        .head{display:flex;gap:8px;align-items:baseline;flex-wrap:wrap;margin-bottom:8px}
        .chip{border:1px solid var(--line);border-radius:99px;padding:1px 9px;font-size:12px;color:var(--soft);white-space:nowrap}
        .good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}
        .chip.good{background:var(--goodbg);border-color:transparent}.chip.warn{background:var(--warnbg);border-color:transparent}
        .chip.bad{background:var(--badbg);border-color:transparent}
        .speaking{border-color:var(--good);box-shadow:inset 4px 0 0 var(--good)}
        meter{width:72px;height:9px}
        .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(140px,1fr));gap:12px;margin-top:18px}
        .tile{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:12px 14px;min-width:0}
        .tile span{display:block;color:var(--soft);font-size:13px}
        .tile b{font-size:25px;line-height:1.3;letter-spacing:-.02em;white-space:nowrap}
        form{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,220px),1fr));gap:12px;align-items:end;margin-top:18px}
        label{display:block;min-width:0}
        input,select,button{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:8px;
        padding:8px 11px;width:100%;min-height:42px}
        button{background:var(--c1);border-color:var(--c1);color:#fff;font-weight:600;cursor:pointer}
        @media (prefers-color-scheme:dark){button{color:#0f1216}}
        button.quiet{background:none;color:var(--soft);border-color:var(--line);font-weight:400;width:auto;margin-top:18px;
        padding:8px 26px}
        .videos .head{margin:10px 0 0}
        #nobody{margin-top:14px}
        button:disabled{opacity:.5;cursor:default}
        .notice{border-radius:12px;padding:12px 16px;margin:18px 0 0;background:var(--warnbg);overflow-wrap:anywhere}
        .notice.fail{background:var(--badbg)}
        .videos{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,340px),1fr));gap:14px;margin-top:18px}
        video{width:100%;aspect-ratio:16/9;background:#000;border-radius:8px;display:block}
        ol{list-style:none;margin:0;padding:0;font-size:13px}
        ol li{display:flex;gap:10px;padding:4px 0;border-bottom:1px solid var(--grid);flex-wrap:wrap}
        ol time{color:var(--soft);white-space:nowrap}
        ol b{overflow-wrap:anywhere}
        footer{padding-top:30px;padding-bottom:40px}
        [hidden]{display:none!important}

        """

    private static let tables = """
        .scroll{overflow-x:auto}
        table{border-collapse:collapse;width:100%;font-size:13px;margin-top:4px}
        th,td{padding:4px 8px 4px 0;text-align:right;white-space:nowrap;border-bottom:1px solid var(--grid)}
        tbody tr:last-child>*{border-bottom:0}
        thead th{color:var(--soft);font-weight:500;font-size:12px}
        th:first-child,td:first-child{text-align:left;max-width:210px;overflow:hidden;text-overflow:ellipsis}

        """

    private static let media = """
        @media (max-width:560px){header,main,footer{padding-left:12px;padding-right:12px}header{padding-top:16px}h1{font-size:23px}
        .card{padding:12px}.tiles{grid-template-columns:1fr 1fr;gap:8px}.tile b{font-size:21px}
        th:first-child,td:first-child{max-width:128px;white-space:normal}th,td{padding-right:5px;font-size:12px}}

        """
}
