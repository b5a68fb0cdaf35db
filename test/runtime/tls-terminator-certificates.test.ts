import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { Authority } from '../system/certificates.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { echoes, terminatedPort } from './terminated-port.ts';

/** Pattern of the error messages that a client gets if the TLS port closes the connection. */
const ENDED = /the connection ended|disconnected|ECONNRESET/;

const fingerprintOf = (socket: TLSSocket) => socket.getPeerX509Certificate()?.fingerprint256;

describe('a client certificate', { timeout: 20_000 }, () => {
  const stranger = new Authority(scratchDirectory());
  const shown = (authority: Authority, until?: number) => {
    const { certificate, key } = authority.issue('client', ['client.example'], until);
    return { cert: readFileSync(certificate), key: readFileSync(key) };
  };

  test('is accepted if the right authority signed it, but is not required', async t => {
    const { fixture, open } = await terminatedPort(t, { clientCertificates: true });
    await echoes(open());
    await echoes(open(shown(fixture.authority)));
  });

  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    test(`is refused if it has expired or another authority signed it, even if the client resumes a TLS session (${maxVersion})`, async t => {
      const { fixture, open } = await terminatedPort(t, { clientCertificates: true });
      const expired = shown(fixture.authority, Date.now() - 1000);
      for (const [wrong, cause] of [
        [shown(stranger), 'CERT_SIGNATURE_FAILURE'],
        [expired, 'CERT_HAS_EXPIRED'],
      ] as const) {
        const failed = fixture.nextLine();
        const first = open({ ...wrong, maxVersion });
        let session: Buffer | undefined;
        first.on('session', given => {
          session = given;
        });
        await assert.rejects(echoes(first), ENDED);
        assert.equal((await failed).cause, cause);
        if (session) await assert.rejects(echoes(open({ session, maxVersion })), ENDED);
      }
    });
  }

  test('is requested only if a certificate authority for clients is set', async t => {
    const { open } = await terminatedPort(t);
    await echoes(open(shown(stranger)));
  });
});

describe('the TLS files of a port', { timeout: 20_000 }, () => {
  test('are read again when they change: new connections get the new certificate, and open connections continue', async t => {
    const { fixture, open } = await terminatedPort(t);
    const before = open();
    await echoes(before);
    const told = fixture.nextLine();
    fixture.authority.issue('server', ['127.0.0.1']);
    assert.deepEqual([(await told).level, (await told).message], ['info', 'the port uses the new TLS files']);
    const after = open();
    await echoes(after);
    assert.notEqual(fingerprintOf(after), fingerprintOf(before));
    await echoes(before);
  });

  test('are used only when the new key matches the new certificate: until then, clients get the old certificate', async t => {
    const { fixture, open } = await terminatedPort(t);
    const before = open();
    await echoes(before);
    const key = readFileSync(fixture.paths.key);
    const other = fixture.authority.issue('other', ['127.0.0.1']);
    let told = fixture.nextLine();
    writeFileSync(fixture.paths.key, readFileSync(other.key));
    const { level, message, err } = await told;
    assert.equal(level, 'error');
    assert.match(message, /^the port cannot use the new TLS files and keeps the previous ones/);
    assert.match(err?.message ?? '', /^KEY: .* is not the key of the certificate in /);
    const during = open();
    await echoes(during);
    assert.equal(fingerprintOf(during), fingerprintOf(before));
    told = fixture.nextLine();
    writeFileSync(fixture.paths.key, key);
    assert.equal((await told).level, 'info');
    await echoes(open());
  });

  test('are read again if the certificate authority for clients changes, and old client certificates are refused', async t => {
    const { fixture, open } = await terminatedPort(t, { clientCertificates: true });
    const { certificate, key } = fixture.authority.issue('client', ['client.example']);
    const shown = { cert: readFileSync(certificate), key: readFileSync(key) };
    const ca = fixture.ca;
    const first = open(shown);
    const session = once(first, 'session');
    await echoes(first);
    const told = fixture.nextLine();
    writeFileSync(fixture.authority.path, readFileSync(new Authority(scratchDirectory()).path));
    assert.equal((await told).level, 'info');
    await assert.rejects(echoes(open({ ...shown, ca })), ENDED);
    const [resumed] = await session;
    await assert.rejects(echoes(open({ ...shown, ca, session: resumed })), ENDED);
  });
});
