import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { render } from 'preact-render-to-string';
import { html } from '../../../../gateway/page/views/html.ts';
import { Players } from '../../../../gateway/page/views/server-card.ts';
import { UntrackedNow } from '../../../../gateway/page/views/server-now.ts';

describe('the number of players of a server', () => {
  const shown = (numbers: { players: number; maxplayers?: number; numbots?: number }): string =>
    /<span>(.*)<\/span>/.exec(render(html`<${Players} ...${numbers} />`))?.[1] ?? '';

  it('is shown with the singular or plural of "player" and "bot" that fits the number', () => {
    assert.equal(shown({ players: 1 }), '1 player');
    assert.equal(shown({ players: 0, maxplayers: 1 }), '0 of 1 player');
    assert.equal(shown({ players: 1, maxplayers: 20 }), '1 of 20 players');
    assert.equal(shown({ players: 3, numbots: 1 }), '3 players, including 1 bot');
    assert.equal(shown({ players: 3, numbots: 2 }), '3 players, including 2 bots');
  });
});

describe('the page of a server that is no longer tracked', () => {
  it('keeps the name of the server, says that it is not tracked, and shows no status', () => {
    const text = render(html`<${UntrackedNow} name="Vanilla <EU>" />`);
    assert.match(text, /<h1><bdi>Vanilla &lt;EU><\/bdi><\/h1>/);
    assert.match(text, /no longer tracks this server/);
    assert.doesNotMatch(text, /online/);
  });
});
