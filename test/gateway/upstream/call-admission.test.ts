import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CoreLink } from '../../../gateway/upstream/core-link.ts';
import { agreeable } from '../core-scripts.ts';
import { call, failureOf, LONG_MS, withLinks } from './link-under-test.ts';

describe('an overloaded gateway', () => {
  const { core, linkTo } = withLinks();

  const from = (link: CoreLink, address: string) =>
    call(link, null, { address, requestId: address, timeoutMs: LONG_MS });

  test('refuses only callers with more than their share of the open calls', async () => {
    const link = await linkTo({ maxInFlight: 4 });
    core.script = () => undefined;
    const calls = Array.from({ length: 4 }, () => from(link, '192.0.2.1'));
    assert.equal((await failureOf(from(link, '192.0.2.1'))).code, 'CORE_1');
    // Two callers share the limit of four open calls, so each caller may have two open calls.
    calls.push(from(link, '192.0.2.2'), from(link, '192.0.2.2'));
    assert.equal((await failureOf(from(link, '192.0.2.2'))).code, 'CORE_1');
    assert.equal(link.inFlight, 6);
    await core.until(() => core.calls.length === 4);
    core.script = agreeable;
    for (const { id } of core.calls) core.say({ id, checked: {} });
    await Promise.all(calls);
  });

  test('never refuses a call of a caller that has only one call at a time', async () => {
    let now = 0;
    const link = await linkTo({ now: () => now });
    core.script = () => undefined;
    const calls = Array.from({ length: 300 }, (_, i) => from(link, `198.51.100.${i % 250}`));
    now = 101;
    assert.equal((await failureOf(from(link, '198.51.100.1'))).code, 'CORE_1');
    for (let i = 0; i < 100; i++) calls.push(from(link, `203.0.113.${i}`));
    await core.until(() => core.calls.length === 400);
    assert.equal(link.refusals, 1);
    for (const { id } of core.calls) core.say({ id, checked: {} });
    await Promise.all(calls);
  });

  test('accepts new calls of a caller when the earlier calls of this caller are answered', async () => {
    const link = await linkTo({ maxInFlight: 2 });
    core.script = () => undefined;
    const busy = [from(link, '192.0.2.1'), from(link, '192.0.2.1')];
    const waiting = [from(link, '192.0.2.2')];
    await core.until(() => core.calls.length === 2);
    assert.equal((await failureOf(from(link, '192.0.2.1'))).code, 'CORE_1');
    for (const { id } of core.calls) core.say({ id, checked: {} });
    await Promise.all(busy);
    const again = from(link, '192.0.2.1');
    await core.until(() => core.calls.length === 4);
    for (const { id } of core.calls) core.say({ id, checked: {} });
    await Promise.all([again, ...waiting]);
    assert.equal(link.refusals, 1);
  });

  test('counts the addresses of an IPv6 /64 as one caller', async () => {
    const link = await linkTo({ maxInFlight: 2 });
    core.script = () => undefined;
    const calls = [from(link, '2001:db8::1'), from(link, '2001:db8::2')];
    assert.equal((await failureOf(from(link, '2001:db8::3'))).code, 'CORE_1');
    calls.push(from(link, '2001:db8:0:1::1'));
    await core.until(() => core.calls.length === 2);
    core.script = agreeable;
    for (const { id } of core.calls) core.say({ id, checked: {} });
    await Promise.all(calls);
  });
});
