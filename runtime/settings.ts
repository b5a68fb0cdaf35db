/** The kind of a setting: how its text is parsed. */
export type SettingKind = 'address' | 'duration' | 'size' | 'integer' | 'text' | 'list' | 'level';

/** One setting: its kind, its default and what it means. */
export interface Setting {
  readonly kind: SettingKind;
  /** In the form an operator writes it; `null` if the setting may be absent. */
  readonly default: string | null;
  readonly help: string;
  /** Whether the text must never be printed, and may be in a file that `<NAME>_FILE` names. */
  readonly secret?: true;
  /** Smallest number allowed: milliseconds of a duration, bytes of a size. */
  readonly min?: number;
  /** Fewest characters allowed. */
  readonly minLength?: number;
}

/**
 * Every `GSQ_*` setting of every process. There is one table, because all processes read one environment, and each must
 * distinguish an unknown name from a setting of another process. Each is also a flag: GSQ_HTTP_ADDR is `--http-addr`.
 */
export const settings = {
  GSQ_HTTP_ADDR: { kind: 'address', default: '127.0.0.1:8080', help: 'where the gateway serves REST' },
  GSQ_GRPC_ADDR: { kind: 'address', default: '127.0.0.1:50051', help: 'where the core serves public gRPC' },
  GSQ_INTERNAL_ADDR: {
    kind: 'address',
    default: '127.0.0.1:50052',
    help: 'where the core serves gateway, probers and operators; not loopback only with GSQ_INTERNAL_TLS_CERT, _KEY and _CA',
  },
  GSQ_INTERNAL_SECRET: {
    kind: 'text',
    default: null,
    secret: true,
    minLength: 16,
    help: 'shared secret of core, gateway, probers and CLI, at least 16 characters; without it, internal.secret in the data directory, which the core makes',
  },
  GSQ_INTERNAL_TLS_CERT: {
    kind: 'text',
    default: null,
    help: 'PEM file of the certificate this machine shows on the internal port, as server and as client',
  },
  GSQ_INTERNAL_TLS_KEY: { kind: 'text', default: null, help: 'PEM file of its private key' },
  GSQ_INTERNAL_TLS_CA: {
    kind: 'text',
    default: null,
    help: 'PEM file of the authority that the certificates of both sides are from',
  },
  GSQ_GATEWAY_OPS_ADDR: {
    kind: 'address',
    default: '127.0.0.1:9090',
    help: 'gateway health and metrics, and those of core and prober under /core and /prober',
  },
  GSQ_CORE_OPS_ADDR: { kind: 'address', default: '127.0.0.1:9091', help: 'core health and metrics' },
  GSQ_PROBER_OPS_ADDR: { kind: 'address', default: '127.0.0.1:9092', help: 'prober health and metrics' },
  GSQ_DATA_DIR: {
    kind: 'text',
    default: './data',
    help: 'directory of the embedded store, and of internal.secret',
  },
  GSQ_MIN_FREE_SPACE: {
    kind: 'size',
    default: '64MiB',
    min: 0,
    help: 'space left free on the disk of the store; below it nothing is inserted, and fetches go on',
  },
  GSQ_STORE: { kind: 'text', default: 'leveldb', help: 'storage engine: leveldb' },
  GSQ_CATALOG: { kind: 'text', default: 'catalog.json', help: 'the games catalog' },
  GSQ_ALLOW_TARGETS: {
    kind: 'list',
    default: '',
    help: 'CIDR ranges opened as targets beyond public addresses, comma-separated',
  },
  GSQ_DENY_TARGETS: {
    kind: 'list',
    default: '',
    help: 'CIDR ranges never to be targets, whatever is opened, comma-separated',
  },
  GSQ_MAX_SERVERS: {
    kind: 'integer',
    default: '1000000',
    min: 1,
    help: 'tracked servers at most; past it an insert is refused as insert_quota',
  },
  GSQ_INSERTS_PER_MINUTE: {
    kind: 'integer',
    default: '5000',
    min: 1,
    help: 'servers one token may insert in a minute; past it an insert is refused as insert_quota',
  },
  GSQ_INSERTS_PER_DAY: {
    kind: 'integer',
    default: '50000',
    min: 1,
    help: 'servers one token may insert in 24 hours',
  },
  GSQ_MAX_UNPROVEN: {
    kind: 'integer',
    default: '100000',
    min: 1,
    help: 'tracked servers at most that never answered a probe, and as many that were given up',
  },
  GSQ_MAX_UNPROVEN_PER_TOKEN: {
    kind: 'integer',
    default: '5000',
    min: 1,
    help: 'those of them that one token may have inserted',
  },
  GSQ_UNPROVEN_PROBES: {
    kind: 'integer',
    default: '3',
    min: 0,
    help: 'failed probes after which a server that never answered is given up once it is offline; 0 keeps it tracked',
  },
  GSQ_DNS_SERVERS: {
    kind: 'list',
    default: '',
    help: 'name servers to ask, `ip` or `ip:port`, comma-separated; empty: those of the system',
  },
  GSQ_CONTACT: {
    kind: 'text',
    default: null,
    help: 'who runs this, such as an e-mail address; told to directories in the User-Agent',
  },
  GSQ_DIRECTORY_OPT_IN: {
    kind: 'list',
    default: '',
    help: 'directories to ask although their owners object, by name, comma-separated; see docs/protocols.md',
  },
  GSQ_STALE_AFTER: {
    kind: 'duration',
    default: '600s',
    min: 1000,
    help: 'age of the last success from which a payload is marked stale',
  },
  GSQ_PROBE_INTERVAL: {
    kind: 'duration',
    default: '1m',
    min: 500,
    help: 'time between two probes of a healthy server',
  },
  GSQ_MAX_IN_FLIGHT: {
    kind: 'integer',
    default: '2000',
    min: 1,
    help: 'probes one prober runs at once',
  },
  GSQ_PACKETS_PER_SECOND: {
    kind: 'integer',
    default: '50000',
    min: 4,
    help: 'packets one prober sends in any second, to all game servers together',
  },
  GSQ_BURST_LIMIT: {
    kind: 'integer',
    default: '50',
    min: 1,
    help: 'requests one token may make in one second',
  },
  GSQ_BURST_LIMIT_PER_ADDRESS: {
    kind: 'integer',
    default: '200',
    min: 0,
    help: 'requests that may come from one IP address (IPv6: /64) in one second, of all tokens; 0: any number',
  },
  GSQ_TRUST_PROXY: {
    kind: 'integer',
    default: '0',
    min: 0,
    help: 'how many reverse proxies stand before the gateway; their X-Forwarded-For entries are believed',
  },
  GSQ_CORS_ORIGINS: {
    kind: 'list',
    default: '',
    help: 'origins whose pages may call the fetch endpoint, comma-separated; * for all',
  },
  GSQ_REQUEST_TIMEOUT: {
    kind: 'duration',
    default: '10s',
    min: 100,
    help: 'how long the gateway waits for an answer of the core before it answers 504, and for a core that restarts before it answers 503',
  },
  GSQ_SERVER_SERIES: {
    kind: 'integer',
    default: '0',
    min: 0,
    help: 'servers of which the core tells figures one by one at /metrics/servers, at most; 0: of none',
  },
  GSQ_LOG_LEVEL: { kind: 'level', default: 'info', help: 'fatal, error, warn, info, debug, trace or silent' },
  GSQ_BOOTSTRAP_TOKEN: {
    kind: 'text',
    default: null,
    secret: true,
    help: 'a token that is created at start if absent; at least 16 characters',
  },
  GSQ_BOOTSTRAP_EMAIL: { kind: 'text', default: 'admin@localhost', help: 'e-mail of the bootstrap token' },
  GSQ_BOOTSTRAP_TYPE: { kind: 'text', default: 'FREE', help: 'tier of the bootstrap token: FREE or PRO' },
} as const satisfies Record<string, Setting>;
