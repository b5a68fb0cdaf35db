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
  // Imports the module here, because of scripts/run-tests.ts. That script follows static imports to find test files
  // that start processes, and runs few of these files in one process. With a static import, all test files that use
  // this file would count as such files.
  const { Stack } = await import('../system/stack.ts');
  return Stack.start({ processes: ['core', 'gateway'] });
}
