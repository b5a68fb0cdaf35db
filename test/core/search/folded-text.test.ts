import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { foldText, foldWords, shortened } from '../../../core/search/folded-text.ts';

describe('foldText', () => {
  it('gives the same result for texts that differ only in case, width or invisible characters', () => {
    for (const [text, same] of [
      ['DE_Dust2', 'de_dust2'],
      ['Ｄｅ＿ｄｕｓｔ２', 'de_dust2'],
      ['  a \t b\u00a0c ', 'a b c'],
      ['z\u200be\u2060r\ufeffo\u00ad', 'zero'],
      ['\u202egnp\u202c\u0000\u001b', 'gnp'],
      ['STRASSE', 'straße'],
      ['ΟΔΟΣ', 'οδος'],
      ['\ud800x', 'x'],
    ] as const) {
      assert.equal(foldText(text), foldText(same));
    }
  });
});

describe('foldWords', () => {
  it('keeps only letters, marks and digits, and separates words by one space', () => {
    assert.equal(foldWords('[EU]  ★ Zombie-Escape | 24/7'), 'eu zombie escape 24 7');
    assert.equal(foldWords('★ | \u200b'), '');
    assert.equal(foldWords('हिन्दी सर्वर'), 'हिन्दी सर्वर');
  });

  it('makes each Chinese or Japanese character a word', () => {
    assert.equal(foldWords('中国服务器'), '中 国 服 务 器');
    assert.equal(foldWords('ｻｰﾊﾞｰ'), foldWords('サーバー'));
  });
});

describe('shortened() (cuts a text to a maximum number of bytes)', () => {
  it('never cuts a character into two parts', () => {
    assert.deepEqual(Buffer.from(shortened(Buffer.from('aé'), 2)).toString(), 'a');
    assert.deepEqual(Buffer.from(shortened(Buffer.from('aé'), 3)).toString(), 'aé');
  });
});
