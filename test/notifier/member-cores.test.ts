import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemberCores } from '../../notifier/member-cores.ts';
import { clients } from '../../proto/clients.ts';
import type { NotifyServiceClient } from '../../proto/generated/gsq/v1/NotifyService.ts';

/**
 * Creates `MemberCores`, which chooses a core for the notifier. `change` changes the list of cores, and `current`
 * returns the address of the chosen core.
 */
function memberCores(...addresses: string[]) {
  const listeners = new Set<() => void>();
  const members = {
    addresses: addresses as readonly string[],
    watch: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const made = new Map<NotifyServiceClient, string>();
  const closed: string[] = [];
  const cores = new MemberCores(members, address => {
    const client = clients.notify(address);
    const close = client.close.bind(client);
    client.close = () => {
      closed.push(address);
      close();
    };
    made.set(client, address);
    return client;
  });
  const change = (...changed: string[]): void => {
    members.addresses = changed;
    for (const listener of listeners) listener();
  };
  return { cores, change, closed, current: () => made.get(cores.client) };
}

test('a notifier calls the same core until a call fails, and then the next core in the list (after the last core, the first)', () => {
  const { cores, current } = memberCores('a:1', 'b:1', 'c:1');
  const seen = [current(), current()];
  for (let i = 0; i < 3; i++) {
    cores.leaveCore(cores.client);
    seen.push(current());
  }
  assert.deepEqual(seen, ['a:1', 'a:1', 'b:1', 'c:1', 'a:1']);
  cores.close();
});

test('if several calls of a notifier fail at the same core, the notifier skips only this core', () => {
  const { cores, current } = memberCores('a:1', 'b:1', 'c:1');
  const { client } = cores;
  cores.leaveCore(client);
  cores.leaveCore(client);
  assert.equal(current(), 'b:1');
  cores.close();
});

test('if the core that a notifier calls leaves the cluster, the notifier closes its client for this core and calls another core', () => {
  const { cores, change, closed, current } = memberCores('a:1');
  assert.equal(current(), 'a:1');
  change('b:1', 'c:1');
  assert.deepEqual(closed, ['a:1']);
  assert.equal(current(), 'b:1');
  cores.close();
  assert.deepEqual(closed, ['a:1', 'b:1']);
});
