import { historyContract } from '../history-store.contract.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { openEngineHistory } from './opened-engine-history.ts';

historyContract('blobs in memory', Date.UTC(2026, 10, 20), async (t, clock, servers, options) => {
  const blobs = new MemoryBlobs(clock.now);
  const open = () => openEngineHistory(t, blobs.of(0), clock, () => servers, options);
  const history = open();
  return {
    history,
    async reopen() {
      await history.close();
      return open();
    },
  };
});
