import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { cardSvg } from '../../../../gateway/embed/card.ts';
import { pngLook, type Theme } from '../../../../gateway/embed/card-look.ts';
import { Rasteriser } from '../../../../gateway/embed/png/rasteriser.ts';
import { randomNumbers } from '../../../system/random-numbers.ts';
import { HOSTILE_TEXTS, serverWith } from '../../page/views/hostile-texts.ts';

const HISTORY = {
  step_seconds: 1_800,
  from: '2026-11-24T00:00:00.000Z',
  to: '2026-11-25T00:00:00.000Z',
  samples: [],
};
const svgOf = (text: string, theme: Theme = 'light'): string =>
  cardSvg({ server: serverWith(text), game: 'Rust', history: HISTORY }, pngLook(theme));

/** Returns width and height of a PNG image (PNG, 11.2.2 IHDR). */
function sizeOf(png: Buffer): [number, number] {
  assert.equal(png.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n');
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

describe('the rasteriser (draws PNG images from SVG)', () => {
  const rasteriser = new Rasteriser();
  after(() => rasteriser.close());

  it('draws two pixels per SVG unit in each direction, and a different image for each theme', async () => {
    const [light, dark] = await Promise.all([
      rasteriser.draw(svgOf('Vanilla')),
      rasteriser.draw(svgOf('Vanilla', 'dark')),
    ]);
    assert.deepEqual(
      [sizeOf(light), sizeOf(dark)],
      [
        [960, 300],
        [960, 300],
      ],
    );
    assert.notDeepEqual(light, dark);
  });

  it('draws letters of many scripts and emoji, not the box that stands for a missing letter', async () => {
    // No font has the letter U+E123, so the rasteriser draws a box for it. The images of the tested letters must differ
    // from the image of this box.
    const box = await rasteriser.draw(svgOf('\ue123'));
    for (const letter of ['é', 'Ж', 'Ω', 'ש', 'ع', '漢', 'ひ', 'カ', '한', '😀', '🎮', '🏆'])
      assert.notDeepEqual(await rasteriser.draw(svgOf(letter)), box, letter);
  });

  it('draws the whole name if a name mixes scripts, emoji and joined characters', async () => {
    for (const text of [
      '👨‍👩‍👧',
      '🇩🇪',
      '👍🏽',
      '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
      '\u1112\u1161\u11ab',
      '葛󠄀',
      'لا',
      'हिन्दी',
      'ภาษาไทย',
      'e\u0301\u0323',
      '1️⃣',
      'ー',
    ]) {
      const drawn = await rasteriser.draw(svgOf(`${text} end`));
      const nameless = await rasteriser.draw(
        svgOf(`${text} end`).replace(/<text x="16" y="(?:32|53)".*?<\/text>/g, ''),
      );
      assert.ok(
        drawn.length > nameless.length + 500,
        `${text}: ${drawn.length} and ${nameless.length} bytes`,
      );
    }
  });

  it('draws each line of text in the image of a server, for random server names', async () => {
    const random = randomNumbers(3);
    const parts = [
      'office',
      'gm_flat',
      '日本',
      ' · ',
      '한국',
      '🎮',
      'العربية',
      'لا',
      'Привет',
      '★',
      ' | ',
      "Garry's",
      '＜',
      'ﬁ',
      '½',
      '„x“',
      '…',
      '❤',
      '①',
      '♥',
      '→',
    ];
    for (let i = 0; i < 25; i++) {
      const text = Array.from({ length: 2 + random(4) }, () => parts[random(parts.length)]).join('');
      const svg = svgOf(`${text} end`);
      const [drawn, nameless] = await Promise.all([
        rasteriser.draw(svg),
        rasteriser.draw(svg.replace(/<text x="16" y="(?:32|53)".*?<\/text>/g, '')),
      ]);
      const lines = svg.match(/<text x="16" y="(?:32|53)".*?<\/text>/g) ?? [];
      for (const line of lines) {
        const one = await rasteriser.draw(svg.replace(line, ''));
        assert.ok(drawn.length > one.length, `${JSON.stringify(text)}: a line is not drawn`);
      }
      assert.ok(drawn.length > nameless.length);
    }
  });

  it('draws images with markup, control characters or 10,000 letters in the server name', async () => {
    for (const text of HOSTILE_TEXTS)
      assert.deepEqual(
        sizeOf(await rasteriser.draw(svgOf(text))),
        [960, 300],
        JSON.stringify(text.slice(0, 20)),
      );
  });

  it('draws an image only once for repeated requests with the same SVG', async () => {
    const svg = svgOf('Once');
    assert.equal(await rasteriser.draw(svg), await rasteriser.draw(svg));
  });

  it('refuses new images while too many images wait, but draws all waiting images', async () => {
    const drawings = Array.from({ length: 100 }, (_, i) => rasteriser.draw(svgOf(`many ${i}`)));
    const outcomes = await Promise.allSettled(drawings);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    assert.ok(refused.length > 0 && refused.length < 100, `${refused.length} of 100`);
    for (const outcome of refused) assert.equal((outcome as PromiseRejectedResult).reason.code, 'CORE_1');
  });

  it('rejects an SVG that it cannot draw, and continues to draw other images', async () => {
    await assert.rejects(rasteriser.draw('<svg'), /cannot be drawn/);
    assert.deepEqual(sizeOf(await rasteriser.draw(svgOf('After a fault'))), [960, 300]);
  });
});
