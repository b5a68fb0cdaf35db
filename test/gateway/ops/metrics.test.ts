import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from '../../../gateway/ops/metrics.ts';

test('Metrics (the metrics of the gateway) counts each answer exactly once, even if the metrics are scraped several times', async () => {
  const metrics = new Metrics();
  const fetches = metrics.answersOf('fetch');
  const games = metrics.answersOf('games');
  for (let i = 0; i < 600; i++) fetches.countAnswer(i % 3 === 0 ? 503 : 200, 0.002);
  games.countAnswer(304, 7);
  for (let look = 0; look < 2; look++) {
    const text = await metrics.registry.metrics();
    assert.match(text, /requests_total\{route="fetch",status="200"\} 400\n/);
    assert.match(text, /requests_total\{route="fetch",status="503"\} 200\n/);
    assert.match(text, /requests_total\{route="games",status="304"\} 1\n/);
    assert.match(text, /seconds_count\{route="fetch"\} 600\n/);
    assert.match(text, /seconds_bucket\{le="0.001",route="fetch"\} 0\n/);
    assert.match(text, /seconds_bucket\{le="0.0025",route="fetch"\} 600\n/);
    assert.match(text, /seconds_sum\{route="games"\} 7\n/);
  }
  fetches.countAnswer(200, 0.002);
  assert.match(await metrics.registry.metrics(), /requests_total\{route="fetch",status="200"\} 401\n/);
});
