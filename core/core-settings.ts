import { resolve } from 'node:path';
import { AddressRanges } from '../net/address-ranges.ts';
import { interfaceAddresses } from '../net/interface-addresses.ts';
import { Resolver } from '../net/resolver.ts';
import { TargetPolicy } from '../net/targets.ts';
import { type Config, ConfigError } from '../runtime/config.ts';
import { type Endpoint, formatEndpoint } from '../runtime/endpoint.ts';
import { reasonOf } from '../runtime/error-words.ts';
import { internalTls } from '../runtime/internal-port.ts';
import { isPageOn, publicUrl, shownServers, showsPlayers } from '../runtime/public-page.ts';
import { grpcTls } from '../runtime/public-tls.ts';
import type { settings } from '../runtime/settings.ts';
import { isTier } from './access/token.ts';
import { isEmail, isSecret, SECRET_RULE } from './access/token-service.ts';
import { EMBEDDED } from './engine.ts';
import { parseEngineUrl } from './store/redis/engine-url.ts';

/** Values for the host in an address setting that mean: listen at all addresses of the machine. */
const ANY_ADDRESS: ReadonlySet<string> = new Set(['', '0.0.0.0', '::']);

/** Type of the settings of the core after they were read and parsed. */
export type CoreConfig = Config<typeof settings>;

/**
 * Checks the settings that the parser does not check completely, such as the store and the bootstrap token. Returns the
 * policy for probe targets. Throws ConfigError if a value is invalid.
 */
export function checkSettings(config: CoreConfig): TargetPolicy {
  checkStore(config.GSQ_STORE);
  if (config.GSQ_STORE !== EMBEDDED) memberAddress(config, config.GSQ_INTERNAL_ADDR);
  if (!isTier(config.GSQ_BOOTSTRAP_TYPE)) {
    throw new ConfigError(
      `GSQ_BOOTSTRAP_TYPE: "${config.GSQ_BOOTSTRAP_TYPE}" is not a tier; write FREE or PRO`,
    );
  }
  if (config.GSQ_BOOTSTRAP_EMAIL !== undefined && !isEmail(config.GSQ_BOOTSTRAP_EMAIL)) {
    throw new ConfigError(`GSQ_BOOTSTRAP_EMAIL: "${config.GSQ_BOOTSTRAP_EMAIL}" is not an e-mail address`);
  }
  if (config.GSQ_BOOTSTRAP_TOKEN !== undefined && !isSecret(config.GSQ_BOOTSTRAP_TOKEN)) {
    throw new ConfigError(`GSQ_BOOTSTRAP_TOKEN: ${SECRET_RULE}`);
  }
  isPageOn(config);
  shownServers(config);
  showsPlayers(config);
  publicUrl(config);
  return targetPolicy(config);
}

/**
 * Checks all settings for `--print-config`. It neither reads a data directory nor opens a port. Throws ConfigError if a
 * setting is invalid.
 */
export function checkAlone(config: CoreConfig): void {
  checkSettings(config);
  internalTls(config);
  grpcTls(config);
  new Resolver(config.GSQ_DNS_SERVERS, Date.now);
}

/**
 * Returns the address `host:port` at which other cores reach the internal port of this core. `bound`: address at which
 * the port listens. Throws ConfigError if GSQ_MEMBER_ADDR has no host or no port, or if GSQ_MEMBER_ADDR is not set and
 * the port listens at all addresses.
 */
export function memberAddress({ GSQ_MEMBER_ADDR }: CoreConfig, bound: Endpoint): string {
  if (GSQ_MEMBER_ADDR) {
    const address = formatEndpoint(GSQ_MEMBER_ADDR);
    if (!ANY_ADDRESS.has(GSQ_MEMBER_ADDR.host) && GSQ_MEMBER_ADDR.port !== 0) return address;
    throw new ConfigError(
      `GSQ_MEMBER_ADDR: other machines cannot reach this core at ${address}; ` +
        'set a host and a port, for example core1.example.com:50052',
    );
  }
  if (!ANY_ADDRESS.has(bound.host)) return formatEndpoint(bound);
  throw new ConfigError(
    'GSQ_MEMBER_ADDR: is not set, and GSQ_INTERNAL_ADDR is open at all addresses of this machine; ' +
      'set the address at which other machines reach this core, for example core1.example.com:50052',
  );
}

/** Throws ConfigError if a value of GSQ_STORE is not valid. The message contains no password. */
function checkStore(store: string): void {
  if (store === EMBEDDED) return;
  if (!/^rediss?:/.test(store)) {
    throw new ConfigError(
      `GSQ_STORE: "${store}" is not a storage engine; write leveldb, or the URL of a Redis or Valkey: redis://host:port`,
    );
  }
  try {
    parseEngineUrl(store);
  } catch (error) {
    throw new ConfigError(`GSQ_STORE: the URL is not valid: ${reasonOf(error)}`);
  }
}

function targetPolicy(config: CoreConfig): TargetPolicy {
  for (const setting of ['GSQ_ALLOW_TARGETS', 'GSQ_DENY_TARGETS'] as const) {
    try {
      new AddressRanges(config[setting]);
    } catch (error) {
      throw new ConfigError(`${setting}: ${reasonOf(error)}`);
    }
  }
  const refusals = { denied: config.GSQ_DENY_TARGETS, interfaces: interfaceAddresses() };
  return new TargetPolicy(config.GSQ_ALLOW_TARGETS, refusals);
}

/**
 * Returns the error that the operator sees if the store cannot be opened or read. If a different process uses the
 * store, the message says so. `error`: the original error.
 */
export function storeError(
  { GSQ_STORE: store, GSQ_DATA_DIR: directory }: Pick<CoreConfig, 'GSQ_STORE' | 'GSQ_DATA_DIR'>,
  error: unknown,
): Error {
  if (error instanceof ConfigError) return error;
  const reason = reasonOf(error);
  if (store !== EMBEDDED) {
    // If the connection to the storage engine is lost, the settings can still be right. Therefore returns a plain
    // `Error`, after which systemd starts the core again. After a ConfigError, systemd would not start it again.
    return isConnectionLost(error)
      ? new Error(`GSQ_STORE: ${reason}`)
      : new ConfigError(`GSQ_STORE: ${reason}`);
  }
  // LevelDB reports this message if a different process, or this process itself, already holds the lock of the store.
  if (!/lock .*(temporarily unavailable|already held)/i.test(reason))
    return new ConfigError(`GSQ_DATA_DIR: ${reason}`);
  return new ConfigError(
    `GSQ_DATA_DIR: ${resolve(directory)} is in use by another core; stop that core, or set a different directory for this core`,
  );
}

/** True if an error says that a connection to Redis or Valkey broke or could not be opened. */
function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'ConnectionLost' || isConnectionLost(error.cause);
}
