"use strict";
// The little of Protocol Buffers that LiveKit's signalling needs: fields by number, without a schema.
//
// Written is {number: value}: a number or boolean as varint, a string or Uint8Array as bytes, an object as a message, an array as
// repeated field. Read is {number: [value, ...]}: varints as numbers, everything else as Uint8Array.

function varint(value, bytes) {
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push(128 + value % 128);
  bytes.push(value);
}

function encode(fields) {
  const bytes = [];
  for (const [number, content] of Object.entries(fields)) {
    for (const value of Array.isArray(content) ? content : [content]) {
      if (typeof value === "number" || typeof value === "boolean") {
        varint(number * 8, bytes);
        varint(Number(value), bytes);
        continue;
      }
      const body = typeof value === "string" ? new TextEncoder().encode(value)
        : value instanceof Uint8Array ? value : encode(value);
      varint(number * 8 + 2, bytes);
      varint(body.length, bytes);
      for (const byte of body) bytes.push(byte);
    }
  }
  return Uint8Array.from(bytes);
}

function decode(bytes) {
  const fields = {};
  let at = 0;
  const read = () => {
    let value = 0, scale = 1, byte;
    do {
      byte = bytes[at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte >= 128);
    return value;
  };
  while (at < bytes.length) {
    const key = read(), wire = key & 7;
    let value;
    if (wire === 0) {
      value = read();
    } else {
      const length = wire === 2 ? read() : wire === 1 ? 8 : 4;
      value = bytes.subarray(at, at + length);
      at += length;
    }
    (fields[key >>> 3] ??= []).push(value);
  }
  return fields;
}

const text = bytes => bytes ? new TextDecoder().decode(bytes) : "";
