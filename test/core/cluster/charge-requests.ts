import type { AccountCore } from './account-cluster.ts';

/** Makes a core count `times` requests of one token against the daily quota. `id`: the ID of the token. */
export const charge = (core: AccountCore, id: string, times: number): void => {
  for (let i = 0; i < times; i++) core.quota.charge(id);
};
