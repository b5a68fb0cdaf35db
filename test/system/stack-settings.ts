export const processNames = ['core', 'gateway', 'prober', 'notifier'] as const;
export type ProcessName = (typeof processNames)[number];

/** Credentials of the token that exists in every test stack. */
export const bootstrap = {
  token: 'a-token-for-tests-only',
  tier: 'PRO',
  email: 'tester@example.com',
} as const;

/** Secret for the internal port of the core. All processes of a test stack share it. */
export const INTERNAL_SECRET = 'a-shared-secret-for-tests-only';

/** Names of the settings for the address of the ops endpoint (metrics and readiness), keyed by process. */
export const OPS_ADDR = {
  core: 'GSQ_CORE_OPS_ADDR',
  gateway: 'GSQ_GATEWAY_OPS_ADDR',
  prober: 'GSQ_PROBER_OPS_ADDR',
  notifier: 'GSQ_NOTIFIER_OPS_ADDR',
} as const;
const ANY_PORT = '127.0.0.1:0';

/** Default settings of the processes of a test stack: free loopback ports, frequent probes, one token. */
export const stackDefaults: Readonly<Record<string, string>> = {
  GSQ_GRPC_ADDR: ANY_PORT,
  GSQ_INTERNAL_ADDR: ANY_PORT,
  // Gives all processes the same internal secret, because they cannot read the secret file of the core.
  GSQ_INTERNAL_SECRET: INTERNAL_SECRET,
  GSQ_CORE_OPS_ADDR: ANY_PORT,
  GSQ_HTTP_ADDR: ANY_PORT,
  GSQ_GATEWAY_OPS_ADDR: ANY_PORT,
  GSQ_PROBER_OPS_ADDR: ANY_PORT,
  GSQ_NOTIFIER_OPS_ADDR: ANY_PORT,
  GSQ_ALLOW_TARGETS: '127.0.0.0/8',
  GSQ_PROBE_INTERVAL: '500ms',
  // If GSQ_UNPROVEN_PROBES is 0, the core keeps servers even if they have never answered. With the default value, it
  // would drop such servers within seconds, because the tests probe often.
  GSQ_UNPROVEN_PROBES: '0',
  // The burst limit is very high, because all requests of a test file use the same token. Tests of the burst limit set
  // a lower one.
  GSQ_BURST_LIMIT: '100000',
  GSQ_BURST_LIMIT_PER_ADDRESS: '0',
  GSQ_BOOTSTRAP_TOKEN: bootstrap.token,
  GSQ_BOOTSTRAP_TYPE: bootstrap.tier,
  GSQ_BOOTSTRAP_EMAIL: bootstrap.email,
};
