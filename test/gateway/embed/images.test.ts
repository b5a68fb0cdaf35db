import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sax from 'sax';
import { badgeSvg } from '../../../gateway/embed/badge.ts';
import { cardSvg } from '../../../gateway/embed/card.ts';
import { svgLook } from '../../../gateway/embed/card-look.ts';
import { cutToWidth, textWidth } from '../../../gateway/embed/text-width.ts';
import type { HistoryAnswer } from '../../../gateway/page/views/history-answers.ts';
import { HOSTILE_TEXTS, onlineWith, serverWith } from '../page/views/hostile-texts.ts';

const HISTORY: HistoryAnswer = {
  step_seconds: 1_800,
  from: '2026-11-24T00:00:00.000Z',
  to: '2026-11-25T00:00:00.000Z',
  samples: [
    null,
    { at: '2026-11-24T00:30:00.000Z', players_mean: 3, players_max: 4, online_share: 1, known_share: 1 },
    {
      at: '2026-11-24T01:00:00.000Z',
      players_mean: null,
      players_max: null,
      online_share: 0,
      known_share: 1,
    },
  ],
};

/** Parses XML strictly. Returns the names of all elements and attributes. Throws an Error if the XML is not valid. */
function markupOf(svg: string): string[] {
  // XML 1.0 allows only the characters of this pattern. The XML parser of the test does not check this.
  assert.match(svg, /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
  assert.ok(!svg.includes(']]>'), 'XML does not allow ]]> in a text');
  const names: string[] = [];
  const parser = sax.parser(true);
  parser.onopentag = ({ name, attributes }) => names.push(name, ...Object.keys(attributes));
  parser.onerror = error => {
    throw error;
  };
  parser.write(svg).close();
  return names;
}

const images: readonly (readonly [string, (text: string) => string])[] = [
  ['badge', text => badgeSvg(serverWith(text), undefined)],
  ['badge with a label', text => badgeSvg(serverWith('a name'), text)],
  [
    'card',
    text => cardSvg({ server: serverWith(text), game: 'Counter-Strike', history: HISTORY }, svgLook('auto')),
  ],
];

for (const [name, draw] of images) {
  describe(`the ${name} of a server`, () => {
    const usual = markupOf(draw('a name'));

    for (const text of HOSTILE_TEXTS) {
      it(`is valid XML, and shows markup from the server as plain text: ${JSON.stringify(text.slice(0, 30))}`, () => {
        const svg = draw(text);
        assert.deepEqual(markupOf(svg), usual);
        assert.ok(svg.length < 6_000);
      });
    }
  });
}

describe('the badge (a small image with the status of a server)', () => {
  it('shows the number of players of an online server', () => {
    assert.match(badgeSvg(serverWith('Vanilla'), undefined), /<title>Vanilla: 3\/10 players<\/title>/);
  });

  it('says "player" for one player', () => {
    const badge = (players: number, maxplayers?: number): string => {
      const { maxplayers: _, ...server } = { ...onlineWith('Vanilla'), players };
      return badgeSvg(maxplayers === undefined ? server : { ...server, maxplayers }, undefined);
    };
    assert.match(badge(1), /<title>Vanilla: 1 player<\/title>/);
    assert.match(badge(0, 1), /<title>Vanilla: 0\/1 player<\/title>/);
    assert.match(badge(2), /<title>Vanilla: 2 players<\/title>/);
  });

  it('shows the status of a server that is not online', () => {
    const server = serverWith('Vanilla');
    const offline = { ...server, _updater: { ...server._updater, status: 'offline' as const } };
    assert.match(badgeSvg(offline, 'EU 1'), /<title>EU 1: offline<\/title>/);
  });
});

describe("the card (image of a server's history)", () => {
  it('draws a bar only for half hours with a known number of players', () => {
    const svg = cardSvg({ server: serverWith('Vanilla'), game: 'Rust', history: HISTORY }, svgLook('dark'));
    assert.equal(svg.match(/fill="var\(--bar\)"/g)?.length, 1);
    assert.doesNotMatch(svg, /prefers-color-scheme/);
  });

  it('says "player" for one player', () => {
    const { maxplayers: _, ...server } = { ...onlineWith('Vanilla'), players: 1 };
    const svg = cardSvg({ server, game: 'Rust', history: HISTORY }, svgLook('dark'));
    assert.match(svg, /aria-label="Vanilla: online\. 1 player"/);
  });
});

describe('the width of a text', () => {
  it('is about twice as large for East Asian letters and emoji as for other letters', () => {
    assert.ok(textWidth('日本', 10) > textWidth('ab', 10) * 1.5);
    assert.equal(textWidth('👨‍👩‍👧', 10), textWidth('👾', 10));
  });

  it('is at most the given width after cutToWidth() has shortened the text, and no emoji is cut in half', () => {
    const cut = cutToWidth('👨‍👩‍👧'.repeat(50), 10, 100);
    assert.ok(textWidth(cut, 10) <= 100);
    assert.match(cut, /^(👨‍👩‍👧)+…$/u);
    assert.equal(cutToWidth('short', 10, 100), 'short');
  });
});
