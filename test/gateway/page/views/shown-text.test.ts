import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shownText } from '../../../../gateway/page/views/shown-text.ts';

describe('a text of a game server on a web page', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['stays as it is if nothing is unusual', '[EU] Vanilla | 2x', '[EU] Vanilla | 2x'],
    ['has no marks that change the direction of other text', 'a\u202egnp.exe\u2066b', 'agnp.exeb'],
    ['has no control characters, and spaces for line breaks', 'a\u0000\u001b[31mb\nc\td', 'a[31mb c d'],
    ['has no surrogates without a partner', 'a\ud800b\udc00c', 'abc'],
    ['keeps emoji that consist of several characters', '👨‍👩‍👧 fam', '👨‍👩‍👧 fam'],
    [
      'keeps a variation selector (a character that changes the look of an emoji)',
      '❤\ufe0f fam',
      '❤\ufe0f fam',
    ],
    ['keeps right-to-left letters', 'شرق الأوسط', 'شرق الأوسط'],
    ['has no spaces and joiners at its ends', ' \u200d name\u200b\u200d ', 'name'],
  ];
  for (const [what, text, shown] of cases) {
    it(what, () => assert.equal(shownText(text), shown));
  }

  it('is replaced by a given text if it has no visible characters', () => {
    assert.equal(shownText('\u200b\u200e \u202e\ufeff', '127.0.0.1:27015'), '127.0.0.1:27015');
    assert.equal(shownText(''), '');
    const blank = ['\u3164', '\u115f\u1160', '\uffa0', '\u2800 \u2800', '\ufe0f', '\u180b', '\u034f'];
    assert.deepEqual(
      blank.map(text => shownText(text, '127.0.0.1:27015')),
      blank.map(() => '127.0.0.1:27015'),
    );
  });

  it('has at most 300 characters, and no emoji is cut in half', () => {
    const long = shownText('😀'.repeat(5_000));
    assert.ok(long.length <= 301);
    assert.ok(long.isWellFormed() && long.endsWith('😀…'));
    assert.ok(shownText(`a${'😀'.repeat(5_000)}`).isWellFormed());
  });
});
