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
 * Starts a core and a gateway inside the test process, because starting separate processes takes two seconds of CPU
 * time on Node 20. If the variable TEST_STORE is set (another store or several cores), starts separate processes with
 * `Stack.start`.
 */
export async function startCoreAndGateway(): Promise<CoreAndGateway> {
  if (process.env.TEST_STORE === undefined) return startInProcess();
  // Imports stack.ts, which starts processes, dynamically. scripts/run-tests.ts follows only static imports to find the
  // test files that start processes. With a static import of stack.ts, all test files that use core-and-gateway.ts
  // would seem to start processes.
  const { Stack } = await import('../system/stack.ts');
  return Stack.start({ processes: ['core', 'gateway'] });
}
