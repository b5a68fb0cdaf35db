import assert from 'node:assert/strict';
import { test } from 'node:test';
import { render } from 'preact-render-to-string';
import type { RestServiceStatus, RestSummary } from '../../../../client/rest-types.generated.ts';
import { html } from '../../../../gateway/page/views/html.ts';
import { ServiceStatus } from '../../../../gateway/page/views/service-status.ts';

/** Returns the sentences about the servers on the status page. `count`: value of every number in the status. */
function sentences(count: number): string {
  const status: Pick<RestServiceStatus, 'probers' | 'schedule_lag_seconds' | 'store_healthy' | 'limited'> = {
    probers: 1,
    schedule_lag_seconds: 0,
    store_healthy: true,
    limited: count,
  };
  const summary: Pick<RestSummary, 'servers' | 'online' | 'players' | 'games'> = {
    servers: count,
    online: count,
    players: count,
    games: [],
  };
  const text = render(html`<${ServiceStatus} status=${status} summary=${summary} names=${new Map()} />`);
  return /<h2 id="servers">Servers<\/h2><p>(.*?)<\/p>/.exec(text)?.[1] ?? '';
}

test('the status page uses the singular for the number 1 and the plural for other numbers', () => {
  assert.equal(
    sentences(1),
    '1 server, 1 of them online, with 1 player. 1 is asked less often, because its host limits queries.',
  );
  assert.equal(
    sentences(1_200),
    '1,200 servers, 1,200 of them online, with 1,200 players. 1,200 are asked less often, because their hosts limit queries.',
  );
  assert.equal(sentences(0), '0 servers, 0 of them online, with 0 players.');
});
