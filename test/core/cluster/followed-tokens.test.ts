import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOKENS } from '../../../core/access/token-entry.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { until } from '../../system/until.ts';
import { freeToken } from '../access/token-fixture.ts';
import { AccountCluster, type AccountCore } from './account-cluster.ts';

const caller = { address: '127.0.0.1', domain: '' };

/**
 * Waits until the copy of a token at a core has the wanted `revokedAt`: undefined if the token is missing, 0 if it is
 * not revoked.
 */
async function untilToken(
  core: AccountCore,
  id: string,
  isWanted: (revokedAt: number | undefined) => boolean,
) {
  await until(`token ${id} on ${core.self.id}`, () => core.tokens.get(id)?.revokedAt, isWanted);
}

test('if the lead (the core that writes tokens) creates, rotates or revokes a token, all other cores get the change', async t => {
  const world = new AccountCluster(t);
  const [lead, second, third] = [await world.join('a'), await world.join('b'), await world.join('c')];
  await world.lead(lead);
  const { id, credentials } = await world.createToken(lead);
  for (const core of [second, third]) {
    await untilToken(core, id, revokedAt => revokedAt === 0);
    assert.equal((await core.authenticator.admit({ ...credentials }, caller)).token.id, id);
  }
  const { secret } = await lead.tokenService.rotate(id, 0);
  const isRotated = (): boolean => second.tokens.findBySecret(secret) !== undefined;
  await until('the new secret on the second core', isRotated, Boolean);
  await assert.rejects(second.authenticator.admit({ ...credentials }, caller), { code: 'AUTH_3' });
  await second.authenticator.admit({ ...credentials, token: secret }, caller);
  await lead.tokenService.revoke(id);
  await untilToken(third, id, revokedAt => revokedAt !== 0);
  await assert.rejects(third.authenticator.admit({ ...credentials, token: secret }, caller), {
    code: 'AUTH_3',
  });
});

test('if the lead (the core that writes tokens) revokes a token, another core ends the open streams of this token', async t => {
  const world = new AccountCluster(t);
  const [lead, second] = [await world.join('a'), await world.join('b')];
  await world.lead(lead);
  const { id, credentials } = await world.createToken(lead);
  await untilToken(second, id, revokedAt => revokedAt === 0);
  const refused = new Promise<string>(resolve => {
    const stop = second.authenticator.watch({ ...credentials }, caller, id, error => resolve(error.code));
    t.after(stop);
  });
  await lead.tokenService.revoke(id);
  assert.equal(await refused, 'AUTH_3');
});

test('when another core becomes the lead (the core that writes tokens), the other cores get all tokens again and drop deleted ones', async t => {
  const world = new AccountCluster(t);
  const [lead, second] = [await world.join('a'), await world.join('b')];
  await world.lead(lead);
  const { id } = await world.createToken(lead);
  const gone = await world.createToken(lead);
  await untilToken(second, gone.id, revokedAt => revokedAt === 0);
  // A running lead (the core that writes tokens) never deletes a token. Therefore the test deletes the token from the
  // store before the next lead loads it.
  await world.retire(lead);
  world.durable.delete(TOKENS + gone.id);
  const third = await world.join('c');
  await world.lead(third);
  assert.deepEqual(
    [second, third].map(({ tokens }) => tokens.list().map(token => token.id)),
    [[id], [id]],
  );
});

test('while the cluster has no lead (the core that writes tokens), a core uses its own copy of the tokens', async t => {
  const world = new AccountCluster(t);
  const [first, second, third] = [await world.join('a'), await world.join('b'), await world.join('c')];
  await world.lead(first);
  const { id, credentials } = await world.createToken(first);
  await untilToken(second, id, revokedAt => revokedAt === 0);
  world.kill(first);
  (await second.authenticator.admit({ ...credentials }, caller)).charge();
  await world.lead(third);
  await third.tokenService.revoke(id);
  await untilToken(second, id, revokedAt => revokedAt !== 0);
});

test('only the lead (one core of the cluster) can write tokens', async t => {
  const world = new AccountCluster(t);
  const [lead, second] = [await world.join('a'), await world.join('b')];
  await assert.rejects(lead.tokenService.create(freeToken), { name: 'NoWrites' });
  await world.lead(lead);
  await lead.tokenService.create(freeToken);
  await assert.rejects(second.tokenService.create(freeToken), { name: 'NoWrites' });
  const stored = () => [...world.durable.keys()].filter(key => key.startsWith(TOKENS)).length;
  assert.equal(stored(), 1);
  assert.deepEqual(await second.tokens.compare(), []);
  await world.retire(lead);
  await assert.rejects(lead.tokenService.create(freeToken), { name: 'NoWrites' });
  assert.equal(stored(), 1);
});

test('a core reports an error if its file token.key differs from the key of the lead (the core that writes tokens)', async t => {
  const world = new AccountCluster(t);
  const lead = await world.join('a');
  const other = await world.join('b', scratchDirectory());
  await lead.accounts.lead();
  world.cluster.change({ lead: lead.self });
  const [error] = await until(
    'the error',
    () => other.unusable,
    errors => errors.length > 0,
  );
  assert.match(error?.message ?? '', /token\.key .* is not the key of the cluster/);
  assert.equal(other.accounts.isCurrent, false);
});
