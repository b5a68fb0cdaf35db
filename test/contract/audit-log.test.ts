import assert from 'node:assert/strict';
import { hostname, userInfo } from 'node:os';
import { after, before, describe, it } from 'node:test';
import type { Metadata } from '@grpc/grpc-js';
import { acts, reads } from '../../core/rpc/admin-acts.ts';
import { AuditLog } from '../../core/rpc/audit-log.ts';
import { operatorOf } from '../../core/rpc/operator.ts';
import { clients, internalMetadata, operatorKeys, operatorName } from '../../proto/clients.ts';
import { gsqV1 } from '../../proto/descriptors.ts';
import type { AdminServiceClient } from '../../proto/generated/gsq/v1/AdminService.ts';
import { gsq } from '../cli/gsq-command.ts';
import { failure, unary } from '../core/rpc/answer.ts';
import { type LogLine, LogLines } from '../runtime/log-lines.ts';
import { bootstrap, INTERNAL_SECRET } from '../system/stack-settings.ts';
import { type InProcess, startInProcess } from './in-process.ts';
import { createToken, OWNER, type TestToken } from './tokens.ts';

const SERVER_SECRET = 'password-of-a-game-server';

/**
 * Test case for one AdminService method: a successful call, a failing call, and the `object` in the audit line of the
 * successful call.
 */
interface Case {
  good: (admin: AdminServiceClient, metadata: Metadata) => Promise<unknown>;
  bad: ((admin: AdminServiceClient, metadata: Metadata) => Promise<unknown>) | undefined;
  object: () => LogLine;
}

describe('audit log of the core', () => {
  const log = new LogLines();
  const secrets: string[] = [bootstrap.token, INTERNAL_SECRET, SERVER_SECRET];
  let stack: InProcess;
  let admin: AdminServiceClient;
  let token: TestToken;
  let revoked: TestToken;
  before(async () => {
    stack = await startInProcess({}, Date.now, log.logger);
    admin = clients.admin(stack.internal);
    token = await createToken(stack.internal);
    revoked = await createToken(stack.internal);
    secrets.push(token.token, revoked.token);
  });
  after(async () => {
    admin.close();
    await stack.stop();
  });

  const asAnn = (): Metadata => {
    const metadata = internalMetadata(INTERNAL_SECRET);
    metadata.set(operatorKeys.user, 'ann@corp.example');
    metadata.set(operatorKeys.host, 'ops1');
    metadata.set('x-request-id', 'audit-1');
    return metadata;
  };
  const palworld = [{ gameId: 'palworld', servers: ['127.0.0.1:8212'] }];
  // An operator can send the secret of a token instead of its id by mistake. The log must not contain this secret.
  const wrong = () => ({ id: token.token });
  const named = () => ({ token_id: token.id, tier: 'FREE' });
  const cases: Readonly<Record<string, Case>> = {
    CreateToken: {
      good: async (core, metadata) => {
        const made = await unary<{ secret: string }>(done =>
          core.createToken({ tier: 'PRO', email: OWNER }, metadata, done),
        );
        secrets.push(made.secret);
      },
      bad: (core, metadata) =>
        failure(done => core.createToken({ tier: 'GOLD', email: OWNER }, metadata, done)),
      object: () => ({ tier: 'PRO', allow_ips: [], allow_domains: [], expires_at: null }),
    },
    RevokeToken: {
      good: (core, metadata) => unary(done => core.revokeToken({ id: revoked.id }, metadata, done)),
      bad: (core, metadata) => failure(done => core.revokeToken(wrong(), metadata, done)),
      object: () => ({ token_id: revoked.id, tier: 'FREE' }),
    },
    RotateToken: {
      good: async (core, metadata) => {
        const made = await unary<{ secret: string }>(done =>
          core.rotateToken({ id: token.id }, metadata, done),
        );
        secrets.push(made.secret);
      },
      bad: (core, metadata) => failure(done => core.rotateToken(wrong(), metadata, done)),
      object: named,
    },
    AllowToken: {
      good: (core, metadata) =>
        unary(done => core.allowToken({ id: token.id, ips: { entries: ['192.0.2.0/24'] } }, metadata, done)),
      bad: (core, metadata) => failure(done => core.allowToken(wrong(), metadata, done)),
      object: () => ({ ...named(), allow_ips: ['192.0.2.0/24'] }),
    },
    ExpireToken: {
      good: (core, metadata) =>
        unary(done =>
          core.expireToken({ id: token.id, expiresAt: { seconds: 4_000_000_000 } }, metadata, done),
        ),
      bad: (core, metadata) => failure(done => core.expireToken(wrong(), metadata, done)),
      object: () => ({ ...named(), expires_at: '2096-10-02T07:06:40.000Z' }),
    },
    AddServers: {
      good: (core, metadata) => {
        const options = [{ name: 'username', value: 'value-of-an-option' }];
        const request = { servers: palworld, access: { secret: SERVER_SECRET, options } };
        return unary(done => core.addServers(request, metadata, done));
      },
      bad: (core, metadata) => {
        const access = { secret: SERVER_SECRET, options: [{ name: SERVER_SECRET, value: SERVER_SECRET }] };
        return failure(done => core.addServers({ servers: palworld, access }, metadata, done));
      },
      object: () => ({
        addresses: 1,
        servers: ['palworld 127.0.0.1:8212'],
        inserted: 1,
        invalid: 0,
        secret: 'set',
        options: ['username'],
      }),
    },
    ListPublicly: {
      good: (core, metadata) =>
        unary(done => core.listPublicly({ servers: palworld, isPublic: true }, metadata, done)),
      bad: (core, metadata) => {
        const servers = [{ gameId: OWNER, servers: [OWNER, token.token] }];
        return failure(done => core.listPublicly({ servers, isPublic: true }, metadata, done));
      },
      object: () => ({ addresses: 1, servers: ['palworld 127.0.0.1:8212'], is_public: true, tracked: 1 }),
    },
    RemoveServers: {
      good: (core, metadata) => unary(done => core.removeServers({ servers: palworld }, metadata, done)),
      bad: (core, metadata) => {
        const servers = [{ gameId: OWNER, servers: [OWNER, token.token] }];
        return failure(done => core.removeServers({ servers }, metadata, done));
      },
      object: () => ({ addresses: 1, servers: ['palworld 127.0.0.1:8212'], removed: 1 }),
    },
    Backup: {
      good: async (core, metadata) => {
        for await (const _lines of core.backup({}, metadata));
      },
      // No failing call of Backup is tested, because this gRPC method fails only if the store is broken.
      bad: undefined,
      object: () => ({}),
    },
  };

  /**
   * Returns the first audit line about the action `act` in the log of the core. `count`: number of lines to ignore at
   * the start of the log.
   */
  const auditLine = (act: string, count: number) =>
    log.find(line => line.audit === true && line.act === act && log.lines.indexOf(line) >= count);

  it('is tested in this file with every method of AdminService that is not read-only', () => {
    const methods = Object.keys(gsqV1.AdminService.service);
    assert.deepEqual([...Object.keys(acts), ...reads].sort(), methods.sort());
    assert.deepEqual(Object.keys(cases).sort(), Object.keys(acts).sort());
  });

  for (const act of Object.keys(acts)) {
    it(`has a line for each ${act} call, with the object, the actor and the outcome`, async () => {
      const count = log.lines.length;
      const { good, object } = cases[act] as Case;
      await good(admin, asAnn());
      const line = await auditLine(act, count);
      const { msg, level, actor, actor_host, actor_proof, caller, outcome, request_id, ms } = line;
      assert.deepEqual(
        { msg, level, actor, actor_host, actor_proof, caller, outcome, request_id },
        {
          msg: 'audit',
          level: 30,
          actor: 'ann',
          actor_host: 'ops1',
          actor_proof: 'none',
          caller: '127.0.0.1',
          outcome: 'OK',
          request_id: 'audit-1',
        },
      );
      assert.equal(typeof ms, 'number');
      const told = line.object as LogLine;
      for (const [name, value] of Object.entries(object())) assert.deepEqual(told[name], value, name);
    });

    const bad = cases[act]?.bad;
    if (!bad) continue;
    it(`has a line for a failed ${act} call`, async () => {
      const count = log.lines.length;
      await bad(admin, asAnn());
      const { outcome, level } = await auditLine(act, count);
      assert.deepEqual(
        [outcome, level],
        [act.endsWith('Token') && act !== 'CreateToken' ? 'ADMIN_2' : 'ADMIN_1', 30],
      );
    });
  }

  it('has no line for a read-only method, and none for a caller with a wrong internal secret', async () => {
    const audits = () => log.lines.filter(({ audit }) => audit === true).length;
    const before = audits();
    await unary(done => admin.listTokens({}, asAnn(), done));
    await unary(done => admin.getToken({ id: token.id }, asAnn(), done));
    await unary(done => admin.listServers({}, asAnn(), done));
    await unary(done => admin.getStats({}, asAnn(), done));
    const stranger = internalMetadata('some-other-secret');
    await failure(done => admin.createToken({ tier: 'PRO', email: OWNER }, stranger, done));
    assert.equal(audits(), before);
  });

  it('has a line for the token that GSQ_BOOTSTRAP_TOKEN creates', async () => {
    const line = await log.find(({ actor }) => actor === 'GSQ_BOOTSTRAP_TOKEN');
    assert.deepEqual([line.audit, line.act, line.outcome], [true, 'CreateToken', 'OK']);
  });

  it('contains the user and the machine that ran the gsq command', async () => {
    const count = log.lines.length;
    const env = { GSQ_INTERNAL_ADDR: stack.internal, GSQ_INTERNAL_SECRET: INTERNAL_SECRET };
    const { status, talk } = await gsq(env, 'servers', 'add', 'csgo', '127.0.0.1:27015');
    assert.equal(status, 0, talk);
    const { actor, actor_host } = await auditLine('AddServers', count);
    assert.deepEqual([actor, actor_host], [operatorName(userInfo().username), operatorName(hostname())]);
  });

  it('contains the common name of the client certificate as the actor, whatever name the caller sends', () => {
    const sslPeerCertificate = { subject: { CN: 'berta@corp.example' } };
    const call = {
      metadata: asAnn(),
      getPeer: () => '[2001:db8::1]:4000',
      getAuthContext: () => ({ transportSecurityType: 'ssl', sslPeerCertificate }) as never,
    };
    assert.deepEqual(operatorOf(call), {
      actor: 'berta',
      actor_proof: 'certificate',
      actor_host: 'ops1',
      caller: '2001:db8::1',
    });
  });

  it('has a line even if a request is unreadable or the expiry time of a token is too large for a date', () => {
    const own = new LogLines();
    const audit = new AuditLog(own.logger);
    const call = {
      metadata: asAnn(),
      getPeer: () => '127.0.0.1:4000',
      getAuthContext: () => ({}),
      getPath: () => gsqV1.AdminService.service.ExpireToken.path,
      request: { id: token.id },
    };
    const expired = { token: { id: token.id, expiresAt: { seconds: 9e12 } } };
    audit.begin(call)?.logEnd(expired, 'OK', 0);
    audit.begin({ ...call, request: undefined })?.logEnd(undefined, 'INTERNAL_1', 0);
    assert.deepEqual(
      own.lines.map(({ object, outcome }) => [object, outcome]),
      [
        [{ token_id: token.id, expires_at: null }, 'OK'],
        [{ error: 'the object of the act cannot be described' }, 'INTERNAL_1'],
      ],
    );
  });

  it('contains no token that an operator sends as request id or name', () => {
    const own = new LogLines();
    const line = (user: string, host: string, id: string) => {
      const metadata = asAnn();
      metadata.set(operatorKeys.user, user);
      metadata.set(operatorKeys.host, host);
      metadata.set('x-request-id', id);
      const call = {
        metadata,
        getPeer: () => '127.0.0.1:4000',
        getAuthContext: () => ({}),
        getPath: () => gsqV1.AdminService.service.Backup.path,
      };
      new AuditLog(own.logger).begin(call)?.logEnd(undefined, 'OK', 0);
      const { actor, actor_host, request_id } = own.lines.at(-1) ?? {};
      return [actor, actor_host, request_id];
    };
    assert.deepEqual(line(token.token, token.token, token.token), ['unknown', 'unknown', undefined]);
    assert.deepEqual(line('gsq_ops', 'gsq', 'gsq-1'), ['gsq_ops', 'gsq', 'gsq-1']);
    own.assertDiscreet(secrets);
  });

  it('shortens the name of an actor, and replaces unusual characters', () => {
    assert.equal(operatorName(`a"\n{}\u001b[31m\\${'b'.repeat(2000)}`).length, 64);
    assert.equal(operatorName('zoë "x"'), 'zo___x_');
    assert.equal(operatorName('@'), '');
  });

  it('contains no secret and no e-mail address', () => {
    log.assertDiscreet([...secrets, 'value-of-an-option', 'some-other-secret']);
  });
});
