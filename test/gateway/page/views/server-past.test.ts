import assert from 'node:assert/strict';
import { test } from 'node:test';
import { render } from 'preact-render-to-string';
import { html } from '../../../../gateway/page/views/html.ts';
import { ServerUptime } from '../../../../gateway/page/views/server-past.ts';

test('the uptime of a server says "all of it known" only if no part of the time is unknown', () => {
  const windows = [1, 0.999_999, 0.5].map(known => ({ window: '24h', online_share: 1, known_share: known }));
  const text = render(html`<${ServerUptime} uptime=${{ windows }} />`);
  assert.deepEqual(
    [...text.matchAll(/<span class="quiet">([^<]*)</g)].map(([, known]) => known),
    ['all of it known', '99.99 % of it known', '50.00 % of it known'],
  );
});
