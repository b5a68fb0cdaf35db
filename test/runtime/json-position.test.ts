import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonErrorPosition } from '../../runtime/json-position.ts';

/**
 * Invalid JSON texts. The character `|` marks the position before the first wrong token. It is not part of the text.
 */
const faults = [
  '|',
  '|x',
  ' \n |]',
  '[1, 2|',
  '[1, 2 |3]',
  '[1, |]',
  '[|,]',
  '{"a":1, |}',
  '{"a" |1}',
  '{"a":|}',
  '{|a:1}',
  '{"a":1 |"b":2}',
  '{"a":[1|}',
  '[|"unclosed]',
  '[|"line\nbreak"]',
  '[|"bad \\x escape"]',
  '[|nul]',
  '[0|1]',
  '[-0.5e+3, |+1]',
  '[true, false, null, "\\u00e9\\n"] |[]',
  '[{"a":{"b":[]}},\n {"c":"d"}\n |{"e":1}]',
];

describe('jsonErrorPosition', () => {
  for (const marked of faults) {
    it(`finds the error position that is marked with | in ${JSON.stringify(marked)}`, () => {
      const text = marked.replace('|', '');
      assert.throws(() => JSON.parse(text));
      const before = marked.slice(0, marked.indexOf('|')).split('\n');
      assert.deepEqual(jsonErrorPosition(text), {
        offset: marked.indexOf('|'),
        line: before.length,
        column: (before.at(-1)?.length ?? 0) + 1,
      });
    });
  }

  it('returns the same position as the error message of JSON.parse, if this message contains a position', () => {
    const whole = '[{"a": [1, -2.5e3, true], "b\\n": {}},\n {"c": "d", "e": null}]';
    let compared = 0;
    for (let at = 0; at < whole.length; at += 1) {
      for (const put of ['', ',', '"', '}', ']', '1', '\n', ':', 'x']) {
        const text = whole.slice(0, at) + put + whole.slice(at + 1);
        const { offset } = jsonErrorPosition(text);
        const message = parseError(text);
        if (message === undefined) assert.equal(offset, text.length, text);
        const expected = /^Expected .* at position (\d+)/.exec(message ?? '')?.[1];
        if (expected === undefined) continue;
        assert.equal(offset, Number(expected), text);
        compared += 1;
      }
    }
    assert.ok(compared > 100, `${compared} compared`);
  });

  it('finds the error position in an unterminated string of several megabytes', () => {
    assert.deepEqual(jsonErrorPosition(`["${'x'.repeat(4 * 1024 * 1024)}`), {
      offset: 1,
      line: 1,
      column: 2,
    });
  });
});

/** Returns the error message of JSON.parse, or undefined if the text is valid JSON. */
function parseError(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return String(error instanceof Error ? error.message : error);
  }
}
