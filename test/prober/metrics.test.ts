import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { registerProbeMetrics } from '../../prober/metrics.ts';
import { Probes } from '../../prober/probes/probes.ts';

test('the prober metrics count probes per protocol, but all protocols of the library gamedig together', async () => {
  const registry = new Registry();
  const probes = await Probes.open({ warn: () => {}, receiveBuffer: 64 * 1024 });
  const counters = registerProbeMetrics(registry, probes);
  for (let i = 0; i < 4; i++) counters.begin();
  counters.end('a2s', 'PROBE_OUTCOME_ONLINE', 0.02);
  counters.end('a2s', 'PROBE_OUTCOME_HELD_BACK', 0);
  for (let i = 0; i < 2; i++) counters.end(`made up ${i}`, 'PROBE_OUTCOME_NO_REPLY', 3);
  counters.begin();
  const text = await registry.metrics();
  await probes.close();
  for (const line of [
    'gsq_probes_total{protocol="a2s",outcome="online"} 1',
    'gsq_probes_total{protocol="a2s",outcome="held_back"} 1',
    'gsq_probes_total{protocol="gamedig",outcome="no_reply"} 2',
    'gsq_probe_seconds_bucket{le="0.025",protocol="a2s"} 2',
    'gsq_probe_seconds_bucket{le="2.5",protocol="gamedig"} 0',
    'gsq_probe_seconds_sum{protocol="gamedig"} 6',
    'gsq_probes_in_flight 1',
    'gsq_packets_sent_total 0',
    'gsq_stray_datagrams_total 0',
    'gsq_budgeted_addresses 0',
  ]) {
    assert.ok(text.includes(`${line}\n`), `${line}\n${text}`);
  }
  assert.match(text, /^gsq_udp_receive_buffer_bytes [1-9]\d{4,}$/m);
  assert.ok(!text.includes('made up'));
});
