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
 * Starts a core and a gateway, by default in the test process, which saves two seconds of CPU time (Node 20). If
 * TEST_STORE is set, starts separate processes.
 */
export async function startCoreAndGateway(): Promise<CoreAndGateway> {
  if (process.env.TEST_STORE === undefined) return startInProcess();
  // Imports `Stack` dynamically. With a static import, scripts/run-tests.ts would assume that every test file that uses
  // this file starts processes, and would run these files less efficiently.
  const { Stack } = await import('../system/stack.ts');
  return Stack.start({ processes: ['core', 'gateway'] });
}
