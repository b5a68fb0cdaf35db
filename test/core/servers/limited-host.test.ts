import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRecord, recordStatus } from '../../../core/servers/record-status.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { payloadOf } from '../payload-of.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const start = Date.UTC(2026, 0, 1);

/** An IP address that answers at most so many packets a minute, and drops the others. */
class LimitedHost {
  readonly #perMinute: number;
  #tokens: number;
  #at = start;

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
    this.#tokens = perMinute;
  }

  answers(now: number): boolean {
    const more = ((now - this.#at) / MINUTE) * this.#perMinute;
    this.#tokens = Math.min(this.#tokens + more, this.#perMinute);
    this.#at = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}

/** Every server of one IP address, each probed when it is due, as the prober does: asked, and asked once more. */
class Host {
  readonly servers: ServerRecord[];
  readonly #limit: LimitedHost;
  readonly #answeredAt: number[];
  readonly #silentAt: number[];

  constructor(count: number, perMinute: number) {
    this.#limit = new LimitedHost(perMinute);
    this.servers = Array.from({ length: count }, (_, i) =>
      newRecord('csgo', `1.2.3.4:${2000 + i}`, 'tok_1', start, MINUTE),
    );
    this.#answeredAt = this.servers.map(() => 0);
    this.#silentAt = this.servers.map(() => 0);
  }

  /** Calls `each` with every record on the way. */
  runUntil(end: number, each: (server: ServerRecord) => void): void {
    for (;;) {
      let next = 0;
      this.servers.forEach((server, i) => {
        if (server.nextProbeAt < (this.servers[next]?.nextProbeAt ?? 0)) next = i;
      });
      const server = this.servers[next];
      if (!server || server.nextProbeAt >= end) return;
      const record = this.#probe(server, next);
      this.servers[next] = record;
      each(record);
    }
  }

  #probe(server: ServerRecord, i: number): ServerRecord {
    const now = server.nextProbeAt;
    const first = this.#limit.answers(now);
    const answered = first || this.#limit.answers(now + SECOND);
    (answered ? this.#answeredAt : this.#silentAt)[i] = now;
    const lately = (times: readonly number[]) => times.some((at, j) => j !== i && now - at <= 2 * MINUTE);
    return recordStatus(
      server,
      {
        outcome: answered ? 'PROBE_OUTCOME_ONLINE' : 'PROBE_OUTCOME_NO_REPLY',
        payload: answered ? payloadOf({ players: 1, playerList: [] }) : null,
        queryPort: answered ? 2000 + i : 0,
        signs: {
          packetsSent: first ? 1 : 2,
          packetsLost: first ? 0 : answered ? 1 : 2,
          challenged: false,
          neighboursAnswered: lately(this.#answeredAt),
          neighboursSilent: lately(this.#silentAt),
        },
      },
      now,
      MINUTE,
    );
  }
}

for (const [count, perMinute] of [
  [50, 5],
  [50, 20],
  [20, 5],
  [200, 30],
] as const) {
  test(`${count} servers of one IP address that answers ${perMinute} packets a minute are never called offline`, () => {
    const host = new Host(count, perMinute);
    host.runUntil(start + 12 * 60 * MINUTE, ({ status }) => assert.notEqual(status, 'offline'));
    let limited = 0;
    for (const { status, label, intervalMs } of host.servers) {
      assert.equal(status, 'online', 'each has answered by now');
      if (label === 'rate_limited') limited++;
      assert.equal(intervalMs > MINUTE, label !== 'none');
    }
    assert.ok(limited > count / 2, `${limited} of ${count} are labelled`);
  });
}

test('where the limit is beyond what is asked, none is labelled', () => {
  const host = new Host(50, 200);
  host.runUntil(start + 2 * 60 * MINUTE, ({ status, label }) =>
    assert.deepEqual([status, label], ['online', 'none']),
  );
});

test('when the limit is gone the labels clear', () => {
  const limited = new Host(50, 5);
  limited.runUntil(start + 60 * MINUTE, () => {});
  const free = new Host(50, 1_000);
  free.servers.splice(0, 50, ...limited.servers);
  free.runUntil(start + 6 * 60 * MINUTE, ({ status }) => assert.notEqual(status, 'offline'));
  for (const { label, intervalMs } of free.servers) assert.deepEqual([label, intervalMs], ['none', MINUTE]);
});
