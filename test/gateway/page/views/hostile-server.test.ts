import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { render } from 'preact-render-to-string';
import { html } from '../../../../gateway/page/views/html.ts';
import { joinLink } from '../../../../gateway/page/views/join-link.ts';
import { ServerCard } from '../../../../gateway/page/views/server-card.ts';
import { ServerNow } from '../../../../gateway/page/views/server-now.ts';
import { HOSTILE_TEXTS, serverWith } from './hostile-texts.ts';

/** Names of all elements and attributes in rendered HTML. */
function markupOf(text: string): string[] {
  return [...text.matchAll(/<(\/?[a-z0-9]+)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>/g)].flatMap(
    ([, name, attributes]) => [
      name ?? '',
      ...[...(attributes ?? '').matchAll(/\s([a-z-]+)(?:="[^"]*")?/g)].map(
        ([, attribute]) => attribute ?? '',
      ),
    ],
  );
}

describe('a server with a hostile text in every field', () => {
  for (const view of [ServerCard, ServerNow]) {
    const shown = (text: string): string =>
      render(html`<${view} server=${serverWith(text)} game="Counter-Strike" />`);
    const usual = markupOf(shown('a name'));

    for (const text of HOSTILE_TEXTS) {
      it(`adds no element and no attribute to ${view.name}: ${JSON.stringify(text.slice(0, 30))}`, () => {
        const rendered = shown(text);
        assert.deepEqual(markupOf(rendered), usual);
        assert.doesNotMatch(rendered, /[\u202a-\u202e\u2066-\u2069]/);
        assert.ok(rendered.isWellFormed());
        assert.ok(rendered.length < 5_000);
      });
    }
  }
});

describe('the link with which players join a server', () => {
  it('exists only for games whose URL scheme is known', () => {
    assert.equal(joinLink('csgo', '203.0.113.7:27015'), 'steam://connect/203.0.113.7:27015');
    assert.equal(joinLink('mumble', '[2001:db8::1]:64738'), 'mumble://[2001:db8::1]:64738');
    assert.equal(joinLink('minecraft', '203.0.113.7:25565'), undefined);
  });

  it('does not exist if the address contains a character that is invalid in addresses', () => {
    assert.equal(joinLink('csgo', 'javascript:alert(1)//'), undefined);
    assert.equal(joinLink('csgo', '203.0.113.7:27015 +exec'), undefined);
  });
});
