const SPACE = /[\t\n\r ]*/y;
const SCALAR =
  /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

type Awaited = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or close' | 'end';

/** The position at which a text stops being valid JSON (RFC 8259). */
export interface JsonPosition {
  /** Number of UTF-16 units in the text before the position of the error. */
  offset: number;
  /** Line number of the position. Like `column`, it is counted from 1. */
  line: number;
  column: number;
}

/**
 * Returns the position of the first token that makes `text` invalid JSON, or the end of a valid text. gsq needs this
 * function because some errors of `JSON.parse` in Node 20 contain no position.
 */
export function jsonErrorPosition(text: string): JsonPosition {
  const offset = errorOffset(text);
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { offset, line: before.split('\n').length, column: before.length - lineStart + 1 };
}

function errorOffset(text: string): number {
  const open: ('{' | '[')[] = [];
  let awaited: Awaited = 'value';
  let at = 0;
  for (;;) {
    SPACE.lastIndex = at;
    SPACE.test(text);
    at = SPACE.lastIndex;
    const mark = text[at];
    const container = open.at(-1);
    const mayClose =
      (mark === '}' && container === '{' && (awaited === 'key or }' || awaited === 'comma or close')) ||
      (mark === ']' && container === '[' && (awaited === 'value or ]' || awaited === 'comma or close'));

    if (mayClose) {
      open.pop();
      awaited = open.length > 0 ? 'comma or close' : 'end';
      at += 1;
    } else if (awaited === 'comma or close' && mark === ',') {
      awaited = container === '{' ? 'key' : 'value';
      at += 1;
    } else if (awaited === 'colon' && mark === ':') {
      awaited = 'value';
      at += 1;
    } else if (awaited === 'value' || awaited === 'value or ]') {
      if (mark === '{' || mark === '[') {
        open.push(mark);
        awaited = mark === '{' ? 'key or }' : 'value or ]';
        at += 1;
        continue;
      }
      const end = scalarEnd(text, at);
      if (end === undefined) return at;
      awaited = open.length > 0 ? 'comma or close' : 'end';
      at = end;
    } else if ((awaited === 'key' || awaited === 'key or }') && mark === '"') {
      const end = scalarEnd(text, at);
      if (end === undefined) return at;
      awaited = 'colon';
      at = end;
    } else {
      return at;
    }
  }
}

function scalarEnd(text: string, at: number): number | undefined {
  SCALAR.lastIndex = at;
  return SCALAR.test(text) ? SCALAR.lastIndex : undefined;
}
