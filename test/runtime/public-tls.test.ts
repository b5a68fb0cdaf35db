import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { checkAlone as checkCore } from '../../core/core-settings.ts';
import { checkAlone as checkGateway } from '../../gateway/gateway.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { grpcTls, httpTls, readTlsFiles } from '../../runtime/public-tls.ts';
import { settings } from '../../runtime/settings.ts';
import { Authority } from '../system/certificates.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

const configOf = (environment: Record<string, string> = {}) => loadConfig(settings, environment, []);

function refuses(act: () => unknown, message: RegExp): void {
  assert.throws(act, { name: 'ConfigError', message });
}

for (const [port, filesOf, check, prefix] of [
  ['REST port', httpTls, checkGateway, 'GSQ_HTTP_TLS'],
  ['public gRPC port', grpcTls, checkCore, 'GSQ_GRPC_TLS'],
] as const) {
  describe(`TLS of the ${port}`, () => {
    const directory = scratchDirectory();
    const authority = new Authority(directory);
    const { certificate, key } = authority.issue('public', ['127.0.0.1']);
    const both = { [`${prefix}_CERT`]: certificate, [`${prefix}_KEY`]: key };

    test('is off by default, and on if certificate and key are set', () => {
      assert.equal(filesOf(configOf()), undefined);
      const files = filesOf(configOf(both));
      assert.ok(files);
      const { cert, minVersion } = readTlsFiles(files);
      assert.deepEqual(cert, readFileSync(certificate));
      assert.equal(minVersion, 'TLSv1.2');
    });

    for (const [name, missing] of [
      [`${prefix}_CERT`, `${prefix}_KEY`],
      [`${prefix}_KEY`, `${prefix}_CERT`],
    ] as const) {
      test(`is refused if ${name} is set but ${missing} is not, and the error contains both settings`, () => {
        const message = new RegExp(
          `^${name}: is set without ${missing}; set ${prefix}_CERT and ${prefix}_KEY, or`,
        );
        const alone = configOf({ [name]: both[name] ?? '' });
        refuses(() => filesOf(alone), message);
        refuses(() => check(alone), message);
      });

      test(`is refused if the file of ${name} is missing or invalid, and the error contains the path of the file`, () => {
        const broken = join(directory, 'broken');
        writeFileSync(broken, 'nothing', { mode: 0o600 });
        for (const path of [join(directory, 'none'), broken]) {
          refuses(() => filesOf(configOf({ ...both, [name]: path })), new RegExp(`^${name}: .*${path}`));
        }
      });
    }

    test('is refused if the key belongs to another certificate, other users can read the key, or the certificate has expired', () => {
      const other = authority.issue('other', ['127.0.0.1']);
      refuses(
        () => filesOf(configOf({ ...both, [`${prefix}_KEY`]: other.key })),
        new RegExp(`^${prefix}_KEY: ${other.key} is not the key of the certificate in ${certificate}$`),
      );
      chmodSync(other.key, 0o644);
      refuses(() => filesOf(configOf({ ...both, [`${prefix}_KEY`]: other.key })), /chmod 600/);
      const ended = authority.issue('ended', ['127.0.0.1'], Date.now() - 1000);
      refuses(
        () => filesOf(configOf({ [`${prefix}_CERT`]: ended.certificate, [`${prefix}_KEY`]: ended.key })),
        new RegExp(`^${prefix}_CERT: the certificate in .* expired on`),
      );
    });

    test('is refused if the first certificate in the file is valid, but a later one is broken', () => {
      const chain = join(directory, 'chain.pem');
      const broken = '-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n';
      writeFileSync(chain, readFileSync(certificate, 'utf8') + broken);
      refuses(
        () => filesOf(configOf({ ...both, [`${prefix}_CERT`]: chain })),
        new RegExp(`^${prefix}_CERT, ${prefix}_KEY: TLS cannot use these files: `),
      );
    });
  });
}

test('GSQ_GRPC_TLS_CLIENT_CA (certificate authority for clients) is refused if the port does not use TLS, or if the file contains no certificate', () => {
  const directory = scratchDirectory();
  const authority = new Authority(directory);
  const { certificate, key } = authority.issue('public', ['127.0.0.1']);
  refuses(
    () => grpcTls(configOf({ GSQ_GRPC_TLS_CLIENT_CA: authority.path })),
    /^GSQ_GRPC_TLS_CLIENT_CA: is set without GSQ_GRPC_TLS_CERT and GSQ_GRPC_TLS_KEY; set /,
  );
  const pair = { GSQ_GRPC_TLS_CERT: certificate, GSQ_GRPC_TLS_KEY: key };
  refuses(
    () => grpcTls(configOf({ ...pair, GSQ_GRPC_TLS_CLIENT_CA: key })),
    /^GSQ_GRPC_TLS_CLIENT_CA: .* is not a readable certificate/,
  );
  const files = grpcTls(configOf({ ...pair, GSQ_GRPC_TLS_CLIENT_CA: authority.path }));
  assert.equal(files?.clientAuthority?.path, authority.path);
});
