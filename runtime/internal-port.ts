import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import { type CertificatePair, readCertificate, readCertificatePair } from './certificate-files.ts';
import { ConfigError, secretFile } from './config.ts';
import { type Endpoint, formatEndpoint } from './endpoint.ts';
import { reasonOf } from './error-words.ts';
import { makeSecretFile } from './secret-file.ts';
import { isPrintable } from './setting-value.ts';

/** Settings of the internal port. Gateway, probers and commands use this port to connect to the core. */
export interface InternalSettings {
  GSQ_INTERNAL_ADDR: Endpoint;
  GSQ_INTERNAL_SECRET: string | undefined;
  GSQ_INTERNAL_TLS_CERT: string | undefined;
  GSQ_INTERNAL_TLS_KEY: string | undefined;
  GSQ_INTERNAL_TLS_CA: string | undefined;
  GSQ_DATA_DIR: string;
}

/**
 * Files for mutual TLS in PEM format: the certificate and key of this process, and the certificate authority of its
 * peers.
 */
export interface TlsIdentity extends CertificatePair {
  authority: Buffer;
}

const SECRET_BYTES = 32;
const TLS_SETTINGS = ['GSQ_INTERNAL_TLS_CERT', 'GSQ_INTERNAL_TLS_KEY', 'GSQ_INTERNAL_TLS_CA'] as const;
const TLS_NAMES = 'GSQ_INTERNAL_TLS_CERT, GSQ_INTERNAL_TLS_KEY and GSQ_INTERNAL_TLS_CA';

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/**
 * Returns the TLS identity of the internal port, or undefined if TLS is not set. Throws ConfigError if a file cannot be
 * used, or if TLS is missing on an address other than loopback.
 */
export function internalTls(settings: InternalSettings): TlsIdentity | undefined {
  const { GSQ_INTERNAL_ADDR, GSQ_INTERNAL_TLS_CERT, GSQ_INTERNAL_TLS_KEY, GSQ_INTERNAL_TLS_CA } = settings;
  if (
    GSQ_INTERNAL_TLS_CERT !== undefined &&
    GSQ_INTERNAL_TLS_KEY !== undefined &&
    GSQ_INTERNAL_TLS_CA !== undefined
  ) {
    const pair = readCertificatePair(
      { setting: 'GSQ_INTERNAL_TLS_CERT', path: GSQ_INTERNAL_TLS_CERT },
      { setting: 'GSQ_INTERNAL_TLS_KEY', path: GSQ_INTERNAL_TLS_KEY },
    );
    return {
      ...pair,
      authority: readCertificate({ setting: 'GSQ_INTERNAL_TLS_CA', path: GSQ_INTERNAL_TLS_CA }),
    };
  }
  const given = TLS_SETTINGS.find(name => settings[name] !== undefined);
  const missing = TLS_SETTINGS.filter(name => settings[name] === undefined);
  if (given)
    throw new ConfigError(`${given}: is set without ${missing.join(' and ')}; set all three or none`);
  if (isLoopback(GSQ_INTERNAL_ADDR.host)) return undefined;
  throw new ConfigError(
    `GSQ_INTERNAL_ADDR: ${formatEndpoint(GSQ_INTERNAL_ADDR)} is not loopback, so the internal port needs TLS there; ` +
      `set ${TLS_NAMES} (docs/operations.md, "Several machines"), or set a loopback address, for example 127.0.0.1:50052`,
  );
}

/** Returns the path of the secret file that the core creates in its data directory. */
export function internalSecretPath(directory: string): string {
  return join(directory, 'internal.secret');
}

/**
 * Returns the shared secret of the internal port: GSQ_INTERNAL_SECRET, else the file in the data directory, else
 * undefined. Throws ConfigError if the file cannot be used.
 */
export function findInternalSecret(settings: InternalSettings): string | undefined {
  const { GSQ_INTERNAL_SECRET, GSQ_DATA_DIR } = settings;
  if (GSQ_INTERNAL_SECRET !== undefined) return GSQ_INTERNAL_SECRET;
  const path = internalSecretPath(GSQ_DATA_DIR);
  const secret = secretFile('GSQ_DATA_DIR', path)?.toString('utf8').trim();
  const remedy = 'remove the file and restart the core, which creates a new secret';
  if (secret === '') throw new ConfigError(`GSQ_DATA_DIR: ${path} is empty; ${remedy}`);
  if (secret === undefined || isPrintable(secret)) return secret;
  throw new ConfigError(`GSQ_DATA_DIR: ${path} contains characters other than printable ASCII; ${remedy}`);
}

/**
 * Returns the shared secret of the internal port, from the same sources as `findInternalSecret`. Throws ConfigError if
 * there is no secret.
 */
export function internalSecret(settings: InternalSettings): string {
  const secret = findInternalSecret(settings);
  if (secret !== undefined) return secret;
  throw new ConfigError(
    `GSQ_INTERNAL_SECRET: is not set, and there is no ${internalSecretPath(settings.GSQ_DATA_DIR)}, which the core creates at its first start; ` +
      'start the core first, set GSQ_DATA_DIR to its data directory, or set GSQ_INTERNAL_SECRET_FILE to a copy of that file',
  );
}

/**
 * Returns the shared secret of the internal port, for the core. If there is no secret yet, creates one in the data
 * directory. Throws ConfigError if the secret cannot be read or created.
 */
export function keepInternalSecret(settings: InternalSettings): string {
  const { GSQ_DATA_DIR } = settings;
  const known = findInternalSecret(settings);
  if (known !== undefined) return known;
  try {
    mkdirSync(GSQ_DATA_DIR, { recursive: true });
    makeSecretFile(internalSecretPath(GSQ_DATA_DIR), `${randomBytes(SECRET_BYTES).toString('base64url')}\n`);
  } catch (error) {
    throw new ConfigError(
      `GSQ_DATA_DIR: the secret of the internal port cannot be stored in ${GSQ_DATA_DIR}: ${reasonOf(error)}`,
    );
  }
  // Returns the secret that is in the file now. It can differ from the secret that this process has just generated,
  // because another process may have created the file at the same time.
  return internalSecret(settings);
}

/** The address and TLS identity with which a client connects to the internal port. */
export interface InternalRoute {
  /** Address of the internal port, `host:port`. An IPv6 host is in brackets. */
  address: string;
  /** The host in `address`. An IPv6 host has no brackets. */
  host: string;
  tls: TlsIdentity | undefined;
}

/** Returns the address and TLS identity for connecting to the internal port. Throws ConfigError like `internalTls`. */
export function internalRoute(settings: InternalSettings): InternalRoute {
  const tls = internalTls(settings);
  const endpoint = reachableEndpoint(settings.GSQ_INTERNAL_ADDR);
  return { address: formatEndpoint(endpoint), host: endpoint.host, tls };
}

/**
 * Returns the endpoint to which a client connects. If the port is bound to all interfaces, the client connects to the
 * loopback address.
 */
function reachableEndpoint({ host, port }: Endpoint): Endpoint {
  if (host === '0.0.0.0') return { host: '127.0.0.1', port };
  return host === '::' ? { host: '::1', port } : { host, port };
}
