import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATOR } from '../../../core/admission/insert-guard.ts';
import { Uplinks } from '../../../core/detector/uplink.ts';
import { until } from '../../system/until.ts';
import { ADDRESS, DAY, MINUTE, OTHER, recorded, SECOND } from './recorded.ts';

type Recorded = Awaited<ReturnType<typeof recorded>>;

const untilForgotten = ({ recorder }: Recorded, count = 1) =>
  until(
    'servers to be forgotten',
    () => recorder.forgotten,
    forgotten => forgotten >= count,
  );

/**
 * Reports a failed probe every three seconds, for at most `seconds`. Returns after how many reports gsq stopped
 * tracking the server, or 0 if gsq did not stop.
 */
async function failAll(
  made: Recorded,
  seconds: number,
  outcome = 'PROBE_OUTCOME_NO_REPLY' as const,
): Promise<number> {
  await made.track(OTHER, OPERATOR);
  for (let looks = 1; looks <= seconds / 3; looks++, made.clock.at += 3 * SECOND) {
    made.answer(OTHER);
    if (!made.report(outcome)) return looks;
  }
  return 0;
}

test('if a server has never answered, gsq forgets it as soon as enough failed probes show that it is offline', async t => {
  const made = await recorded(t);
  await made.track(ADDRESS);
  const looks = await failAll(made, 300);
  assert.ok(looks >= 18 && looks <= 20, `${looks} looks, three seconds apart`);
  await untilForgotten(made);
  assert.deepEqual([made.find(), made.recorder.forgotten], [undefined, 1]);
  assert.equal(made.heard.at(-1)?.[2].status, 'offline', 'and those who follow it are told');
});

test('after gsq has forgotten a server, an answer of another server at the same host triggers no probe of the forgotten server', async t => {
  const made = await recorded(t);
  const sibling = '9.9.9.9:27016';
  await made.acquaint();
  await made.track(sibling);
  made.answer(sibling);
  made.failFor(120, 'PROBE_OUTCOME_NO_REPLY');
  made.clock.at += 20 * MINUTE;
  const offline = made.server();
  made.answer(OTHER);
  made.report('PROBE_OUTCOME_NO_REPLY');
  const wakes = () => {
    const probe = { sent: 1, lost: 0, ping: 40, address: '' };
    const record = { ...offline, key: `csgo ${sibling}`, address: sibling };
    return made.detector.recordAnswer(new Uplinks(made.clock.at), record, probe, made.clock.at).wakes;
  };
  assert.deepEqual(wakes(), [offline.key]);
  made.clock.at += 31 * DAY;
  made.answer(OTHER);
  made.report('PROBE_OUTCOME_NO_REPLY');
  await untilForgotten(made);
  made.clock.at += MINUTE;
  assert.deepEqual(wakes(), []);
});

test('after three failed probes, gsq forgets a server that is missing from the server list of its publisher', async t => {
  const made = await recorded(t);
  await made.track(ADDRESS);
  const statuses = [1, 2, 3].map(() => {
    made.clock.at += MINUTE;
    return made.report('PROBE_OUTCOME_NOT_LISTED')?.status;
  });
  assert.deepEqual(statuses, ['pending', 'offline', undefined]);
  await untilForgotten(made);
});

test('a server that never answered and was offline before a restart of the core is forgotten at its next failed probe', async t => {
  const made = await recorded(t);
  await made.track(ADDRESS);
  const server = made.server();
  const [lease] = made.store.leaseDue(1);
  made.store.apply(lease?.id ?? 0, { ...server, status: 'offline', lastProbeAt: made.clock.at, version: 2 });
  made.clock.at += 30 * MINUTE;
  made.report('PROBE_OUTCOME_NO_REPLY');
  await untilForgotten(made);
  assert.equal(made.find(), undefined);
});

test('gsq never forgets a server that the operator added, even if the server never answers', async t => {
  const made = await recorded(t);
  await made.track(ADDRESS, OPERATOR);
  await failAll(made, 3_600);
  made.clock.at += 60 * DAY;
  made.report('PROBE_OUTCOME_NO_REPLY');
  assert.deepEqual([made.server().status, made.recorder.forgotten], ['offline', 0]);
});

test('gsq forgets no server if the setting `giveUpAfterProbes` is 0', async t => {
  const made = await recorded(t, 0);
  await made.track(ADDRESS);
  await failAll(made, 3_600);
  made.clock.at += 60 * DAY;
  made.report('PROBE_OUTCOME_NO_REPLY');
  assert.deepEqual([made.server().status, made.recorder.forgotten], ['offline', 0]);
});

test('if a server has ever answered, gsq forgets it only after 30 days without an answer', async t => {
  const made = await recorded(t);
  await made.acquaint();
  const { lastOnlineAt } = made.server();
  made.failFor(300, 'PROBE_OUTCOME_NO_REPLY');
  made.clock.at = lastOnlineAt + 30 * DAY;
  assert.equal(made.report('PROBE_OUTCOME_NO_REPLY')?.status, 'offline');
  made.clock.at += MINUTE;
  assert.equal(made.report('PROBE_OUTCOME_NO_REPLY'), undefined);
  await untilForgotten(made);
});

test('if a host name cannot be resolved for an hour, gsq forgets the server, but not a server that answered before', async t => {
  const made = await recorded(t);
  await made.acquaint();
  const stranger = '9.9.9.8:1';
  await made.track(stranger);
  const inserted = made.clock.at;
  for (const address of [ADDRESS, stranger]) made.report('PROBE_OUTCOME_UNRESOLVABLE', address);
  made.clock.at = inserted + 60 * MINUTE;
  assert.equal(made.report('PROBE_OUTCOME_UNRESOLVABLE', stranger)?.status, 'pending');
  made.clock.at += MINUTE;
  assert.equal(made.report('PROBE_OUTCOME_UNRESOLVABLE', stranger), undefined);
  await untilForgotten(made);
  made.clock.at += 40 * DAY;
  assert.equal(made.report('PROBE_OUTCOME_UNRESOLVABLE')?.status, 'online');
});

test('if the store refuses to remove a server that never answered, gsq tries again after the next failed probe of the server', async t => {
  const made = await recorded(t);
  await made.track(ADDRESS);
  const refused = t.mock.method(made.store, 'remove', async () => {
    throw new Error('the store accepts no writes');
  });
  await failAll(made, 120);
  assert.ok(refused.mock.callCount() > 0);
  assert.equal(made.server().status, 'offline');
  refused.mock.restore();
  made.clock.at += MINUTE;
  made.report('PROBE_OUTCOME_NO_REPLY');
  await untilForgotten(made);
  assert.equal(made.find(), undefined);
});
