import { startInProcess } from './in-process.ts';

/**
 * A running core and a running gateway with the settings of a test stack. Their addresses have the form `host:port`.
 */
export interface CoreAndGateway {
  readonly http: string;
  readonly grpc: string;
  readonly internal: string;
  stop(): Promise<void>;
}

/**
 * Starts a core and a gateway. Both run in the test process by default, because separate processes take two seconds of
 * CPU time on Node 20. If TEST_STORE is set, starts separate processes with `Stack.start`.
 */
export async function startCoreAndGateway(): Promise<CoreAndGateway> {
  if (process.env.TEST_STORE === undefined) return startInProcess();
  // scripts/run-tests.ts follows static imports to find the test files that start processes. A static import of
  // stack.ts would mark all users of core-and-gateway.ts as such files, so the import is dynamic.
  const { Stack } = await import('../system/stack.ts');
  return Stack.start({ processes: ['core', 'gateway'] });
}
