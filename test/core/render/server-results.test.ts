import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fallbackMessages } from '../../../core/render/fallback-message.ts';
import { serverResult } from '../../../core/render/server-results.ts';
import { newRecord } from '../../../core/servers/record-status.ts';

const AT = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

test('the message about a server that never answered fits the shown reason, even if the reason changed without a new probe', () => {
  const record = {
    ...newRecord('csgo', '192.0.2.1:27015', 'admin', AT, MINUTE),
    ...({ status: 'offline', reason: 'no_reply' } as const),
    lastProbeAt: AT,
  };
  const names = { gameId: 'csgo', server: '192.0.2.1:27015' };
  for (const [ms, reason] of [
    [0, 'no_reply'],
    [11 * MINUTE, 'prober_unavailable'],
  ] as const) {
    const result = serverResult(names, record, AT + ms, { staleAfterMs: 600_000, probeIntervalMs: MINUTE });
    assert.deepEqual([result.updater?.reason, result.message], [reason, fallbackMessages[reason]]);
  }
});
