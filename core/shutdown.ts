import type { OpsServer } from '../runtime/ops-server.ts';
import type { CoreServices } from './open-services.ts';
import type { Port } from './port.ts';

/**
 * Stops the core in this order: it reports NOT_SERVING, gives its servers to other cores, waits for calls in flight,
 * writes and closes the store, and closes the ops endpoint last.
 */
export async function shutDown(
  services: CoreServices,
  ports: readonly Port[],
  ops: OpsServer,
): Promise<void> {
  for (const port of ports) port.stopServing();
  // Gives the servers to other cores while the ports are still open, so that this core can answer calls until the new
  // owners are ready. The store supervisor still runs, so a store that refuses writes can recover.
  await services.cluster?.handOver();
  services.closing.abort();
  await Promise.all(ports.map(port => port.drain()));
  for (const log of Object.values(services.accessLogs)) log.close();
  services.dispatcher.close();
  await services.cluster?.close();
  await services.search.close();
  services.hooks.close();
  await services.supervisor.close();
  services.quota.close();
  services.lastUse.close();
  // Closes the history before the store: the history must write the samples of finished hours before the store writes
  // records without these samples.
  await services.history.close();
  // Ignores errors: if the store cannot write its last data, its supervisor has already logged the error.
  await services.store.close().catch(() => {});
  await services.engine.close();
  await ops.close();
}
