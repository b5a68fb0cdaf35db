import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawableText, fontRuns } from '../../../../gateway/embed/png/font-runs.ts';

test('fontRuns() splits a text into parts that can each be drawn with one font', () => {
  const runs = fontRuns('Rust 日本 한국 👾🎮 ©2026');
  assert.deepEqual(
    runs.map(({ text, family }) => [text, family]),
    [
      ['Rust ', 'DejaVu Sans'],
      ['日本 한국 ', 'WenQuanYi Micro Hei'],
      ['👾🎮', 'Noto Emoji'],
      [' ©2026', 'DejaVu Sans'],
    ],
  );
  assert.deepEqual(fontRuns(''), []);
});

test('drawableText() replaces, removes or separates characters that a font would join into one glyph', () => {
  assert.equal(drawableText('👍🏽 🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ 1️⃣'), '👍 DE 🏴 ❤ 1⃣');
  assert.equal(drawableText('\u1112\u1161\u11ab'), '한');
  assert.equal(drawableText('office لا'), 'of\u200cf\u200cice ل\u200cا');
});
