import type { Setting } from './setting.ts';

const TEN_YEARS_MS = 3_650 * 86_400_000;

/**
 * All `GSQ_*` settings of all processes, in one table of more than 300 lines. Each setting is also a flag:
 * `--http-addr` sets GSQ_HTTP_ADDR.
 */
export const settings = {
  GSQ_HTTP_ADDR: {
    kind: 'address',
    default: '127.0.0.1:8080',
    help: 'address where the gateway serves REST',
  },
  GSQ_GRPC_ADDR: {
    kind: 'address',
    default: '127.0.0.1:50051',
    help: 'address where the core serves public gRPC',
  },
  GSQ_INTERNAL_ADDR: {
    kind: 'address',
    default: '127.0.0.1:50052',
    help: 'address where the core serves gateways, probers and the command line; outside loopback it needs GSQ_INTERNAL_TLS_CERT, _KEY and _CA',
  },
  GSQ_MEMBER_ADDR: {
    kind: 'address',
    default: null,
    help: 'address of GSQ_INTERNAL_ADDR as other machines reach it, if several cores have one store; if absent, GSQ_INTERNAL_ADDR itself',
  },
  GSQ_INTERNAL_SECRET: {
    kind: 'text',
    default: null,
    secret: true,
    minLength: 16,
    help: 'shared secret of all processes and the command line, at least 16 characters; if absent, the core creates internal.secret in the data directory',
  },
  GSQ_INTERNAL_TLS_CERT: {
    kind: 'text',
    default: null,
    help: 'PEM file with the certificate of this machine for the internal port, as server and as client',
  },
  GSQ_INTERNAL_TLS_KEY: {
    kind: 'text',
    default: null,
    help: 'PEM file with the private key of GSQ_INTERNAL_TLS_CERT',
  },
  GSQ_INTERNAL_TLS_CA: {
    kind: 'text',
    default: null,
    help: 'PEM file with the authority that signed the certificates of both sides',
  },
  GSQ_HTTP_TLS_CERT: {
    kind: 'text',
    default: null,
    help: 'PEM file with the certificate of the REST port, followed by those of intermediate authorities; if absent, REST is plain http',
  },
  GSQ_HTTP_TLS_KEY: {
    kind: 'text',
    default: null,
    help: 'PEM file with the private key of GSQ_HTTP_TLS_CERT',
  },
  GSQ_GRPC_TLS_CERT: {
    kind: 'text',
    default: null,
    help: 'PEM file with the certificate of the public gRPC port, followed by those of intermediate authorities; if absent, the port uses no TLS',
  },
  GSQ_GRPC_TLS_KEY: {
    kind: 'text',
    default: null,
    help: 'PEM file with the private key of GSQ_GRPC_TLS_CERT',
  },
  GSQ_GRPC_TLS_CLIENT_CA: {
    kind: 'text',
    default: null,
    help: 'PEM file with the authorities whose client certificates the public gRPC port accepts; a client may also connect without one',
  },
  GSQ_GATEWAY_OPS_ADDR: {
    kind: 'address',
    default: '127.0.0.1:9090',
    help: "address of the gateway's health and metrics; /core, /prober and /notifier forward to those of the other processes",
  },
  GSQ_CORE_OPS_ADDR: {
    kind: 'address',
    default: '127.0.0.1:9091',
    help: "address of the core's health and metrics",
  },
  GSQ_PROBER_OPS_ADDR: {
    kind: 'address',
    default: '127.0.0.1:9092',
    help: "address of the prober's health and metrics",
  },
  GSQ_NOTIFIER_OPS_ADDR: {
    kind: 'address',
    default: '127.0.0.1:9093',
    help: "address of the notifier's health and metrics",
  },
  GSQ_PAGE: {
    kind: 'text',
    default: 'off',
    help: 'on: anybody who reaches the gateway can see the tracked servers, as pages, images and through the paths that read; off: only callers with a token can read them, and there are no pages',
  },
  GSQ_PAGE_SERVERS: {
    kind: 'text',
    default: 'all',
    help: 'which servers callers without a token see if GSQ_PAGE is on; all, or listed: only the servers that gsq servers list-publicly names',
  },
  GSQ_PAGE_PLAYERS: {
    kind: 'text',
    default: 'on',
    help: 'on: callers without a token see the names of players if GSQ_PAGE is on; off: they see only how many there are',
  },
  GSQ_PUBLIC_URL: {
    kind: 'text',
    default: null,
    help: 'URL under which people reach the gateway, such as https://gsq.example.com; links, feeds and images of other sites contain it; it can have a path for the API, but pages work only at the root of a host',
  },
  GSQ_HISTORY_MINUTES: {
    kind: 'period',
    default: '1d',
    min: 86_400_000,
    max: TEN_YEARS_MS,
    help: 'how long the history keeps every sample, at least 1d',
  },
  GSQ_HISTORY_QUARTERS: {
    kind: 'period',
    default: '30d',
    min: 86_400_000,
    max: TEN_YEARS_MS,
    help: 'how long the history keeps quarter hours',
  },
  GSQ_HISTORY_DAYS: {
    kind: 'period',
    default: '1y',
    min: 86_400_000,
    max: TEN_YEARS_MS,
    help: 'how long the history keeps days and incidents',
  },
  GSQ_DATA_DIR: {
    kind: 'text',
    default: './data',
    help: 'directory of the embedded store and of internal.secret',
  },
  GSQ_MIN_FREE_SPACE: {
    kind: 'size',
    default: '64MiB',
    min: 0,
    help: 'free space that must remain on the disk of the store; below it gsq refuses inserts and still answers fetches',
  },
  GSQ_STORE: {
    kind: 'text',
    default: 'leveldb',
    help: 'storage engine: leveldb, a directory in GSQ_DATA_DIR, or the URL of a Redis or Valkey (cluster): redis://user:password@host:port,host:port',
  },
  GSQ_CATALOG: { kind: 'text', default: 'catalog.json', help: 'file with the games catalog' },
  GSQ_ALLOW_TARGETS: {
    kind: 'list',
    default: '',
    help: 'CIDR ranges that may be probed in addition to public addresses, comma-separated',
  },
  GSQ_DENY_TARGETS: {
    kind: 'list',
    default: '',
    help: 'CIDR ranges that are never probed, even if allowed, comma-separated',
  },
  GSQ_MAX_SERVERS: {
    kind: 'integer',
    default: '1000000',
    min: 1,
    help: 'maximum number of servers to track; beyond it an insert is refused as insert_quota',
  },
  GSQ_INSERTS_PER_MINUTE: {
    kind: 'integer',
    default: '5000',
    min: 1,
    help: 'maximum number of servers that one token may insert in a minute; beyond it an insert is refused as insert_quota',
  },
  GSQ_INSERTS_PER_DAY: {
    kind: 'integer',
    default: '50000',
    min: 1,
    help: 'maximum number of servers that one token may insert in 24 hours',
  },
  GSQ_MAX_UNPROVEN: {
    kind: 'integer',
    default: '100000',
    min: 1,
    help: 'maximum number of tracked servers that never answered a probe; also the size of the table of given-up servers',
  },
  GSQ_MAX_UNPROVEN_PER_TOKEN: {
    kind: 'integer',
    default: '5000',
    min: 1,
    help: 'maximum number of servers of one token that never answered a probe',
  },
  GSQ_UNPROVEN_PROBES: {
    kind: 'integer',
    default: '3',
    min: 0,
    help: 'failed probes after which an offline server that never answered is given up; 0 keeps the server tracked',
  },
  GSQ_DNS_SERVERS: {
    kind: 'list',
    default: '',
    help: 'name servers to query, `ip` or `ip:port`, comma-separated; if empty, the name servers of the system',
  },
  GSQ_CONTACT: {
    kind: 'text',
    default: null,
    help: 'contact of the operator, such as an e-mail address; sent to directories in the User-Agent',
  },
  GSQ_DIRECTORY_OPT_IN: {
    kind: 'list',
    default: '',
    help: 'names of directories to query although their owners object, comma-separated; see docs/protocols.md',
  },
  GSQ_STALE_AFTER: {
    kind: 'duration',
    default: '600s',
    min: 1000,
    help: 'age of the last success at which a payload is marked stale',
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
    help: 'maximum number of probes that one prober runs at once',
  },
  GSQ_PACKETS_PER_SECOND: {
    kind: 'integer',
    default: '50000',
    min: 4,
    help: 'maximum number of packets that one prober sends in any second, to all game servers together',
  },
  GSQ_BURST_LIMIT: {
    kind: 'integer',
    default: '50',
    min: 1,
    help: 'maximum number of requests of one token in one second',
  },
  GSQ_BURST_LIMIT_PER_ADDRESS: {
    kind: 'integer',
    default: '200',
    min: 0,
    help: 'maximum number of requests from one IP address (IPv6: /64) in one second, all tokens together; 0: no limit',
  },
  GSQ_TRUST_PROXY: {
    kind: 'integer',
    default: '0',
    min: 0,
    help: 'number of reverse proxies before the gateway, which trusts their X-Forwarded-For entries',
  },
  GSQ_CORS_ORIGINS: {
    kind: 'list',
    default: '',
    help: 'origins of web pages that may call the fetch endpoint, comma-separated; * for all',
  },
  GSQ_REQUEST_TIMEOUT: {
    kind: 'duration',
    default: '10s',
    min: 100,
    help: 'longest time that the gateway waits: for an answer of the core (then 504), and for a core that restarts (then 503)',
  },
  GSQ_SERVER_SERIES: {
    kind: 'integer',
    default: '0',
    min: 0,
    help: 'maximum number of servers with metrics of their own at /metrics/servers of the core; 0: none',
  },
  GSQ_LOG_LEVEL: {
    kind: 'level',
    default: 'info',
    help: 'lowest level to log: fatal, error, warn, info, debug, trace or silent',
  },
  GSQ_LOG_FORMAT: {
    kind: 'format',
    default: 'json',
    help: 'form of the log lines: json for programs, text for a person at a terminal',
  },
  GSQ_LOG_SAMPLE: {
    kind: 'integer',
    default: '1000',
    min: 0,
    help: 'of this many successful requests, gateway and core log one at level info; 1: all, 0: none; refusals are always logged',
  },
  GSQ_BOOTSTRAP_TOKEN: {
    kind: 'text',
    default: null,
    secret: true,
    help: 'secret of a token that the core creates at its start if absent, at least 16 characters',
  },
  GSQ_BOOTSTRAP_EMAIL: {
    kind: 'text',
    default: null,
    help: 'e-mail of the bootstrap token; if absent, the name of the user who runs gsq, @ and the name of the machine',
  },
  GSQ_BOOTSTRAP_TYPE: { kind: 'text', default: 'FREE', help: 'tier of the bootstrap token: FREE or PRO' },
} as const satisfies Record<string, Setting>;
