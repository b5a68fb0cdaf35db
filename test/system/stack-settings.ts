export const processNames = ['core', 'gateway', 'prober'] as const;
export type ProcessName = (typeof processNames)[number];

/** The token that every stack knows, as call credentials. */
export const bootstrap = {
  token: 'a-token-for-tests-only',
  tier: 'PRO',
  email: 'tester@example.com',
} as const;

/** The secret of the internal port in every process of a stack. */
export const INTERNAL_SECRET = 'a-shared-secret-for-tests-only';

/** The setting with the address of each process's ops endpoint. */
export const OPS_ADDR = {
  core: 'GSQ_CORE_OPS_ADDR',
  gateway: 'GSQ_GATEWAY_OPS_ADDR',
  prober: 'GSQ_PROBER_OPS_ADDR',
} as const;
const ANY_PORT = '127.0.0.1:0';

/** Default settings of a stack: free loopback ports, frequent probes, one token. */
export const stackDefaults: Readonly<Record<string, string>> = {
  GSQ_GRPC_ADDR: ANY_PORT,
  GSQ_INTERNAL_ADDR: ANY_PORT,
  // Each process gets its own data directory, so that it cannot use files of the core.
  GSQ_INTERNAL_SECRET: INTERNAL_SECRET,
  GSQ_CORE_OPS_ADDR: ANY_PORT,
  GSQ_HTTP_ADDR: ANY_PORT,
  GSQ_GATEWAY_OPS_ADDR: ANY_PORT,
  GSQ_PROBER_OPS_ADDR: ANY_PORT,
  GSQ_ALLOW_TARGETS: '127.0.0.0/8',
  GSQ_PROBE_INTERVAL: '500ms',
  // With probes this frequent an empty server would be forgotten within seconds.
  GSQ_UNPROVEN_PROBES: '0',
  // One token makes all requests of a file; only tests of the burst limit need it.
  GSQ_BURST_LIMIT: '100000',
  GSQ_BURST_LIMIT_PER_ADDRESS: '0',
  GSQ_BOOTSTRAP_TOKEN: bootstrap.token,
  GSQ_BOOTSTRAP_TYPE: bootstrap.tier,
  GSQ_BOOTSTRAP_EMAIL: bootstrap.email,
};
