import type { ChargeTokensRequest__Output } from '../../proto/generated/gsq/v1/ChargeTokensRequest.ts';
import type { ChargeTokensResponse } from '../../proto/generated/gsq/v1/ChargeTokensResponse.ts';
import type { ClusterServiceHandlers } from '../../proto/generated/gsq/v1/ClusterService.ts';
import type { FollowAccountsRequest__Output } from '../../proto/generated/gsq/v1/FollowAccountsRequest.ts';
import type { FollowAccountsResponse } from '../../proto/generated/gsq/v1/FollowAccountsResponse.ts';
import type { Accounts } from '../cluster/accounts.ts';
import type { Handlers } from './handler.ts';
import { writeAndWait } from './stream-writer.ts';

/**
 * Creates the methods of ClusterService for accounts (tokens and their usage). They send the accounts of this core to
 * other cores, and count the requests that other cores have admitted.
 */
export function accountMethods(accounts: Pick<Accounts, 'follow' | 'charge'>, handlers: Handlers) {
  return {
    FollowAccounts: handlers.serverStream<FollowAccountsRequest__Output, FollowAccountsResponse>(
      async call => {
        const gone = new AbortController();
        call.once('cancelled', () => gone.abort());
        for await (const message of accounts.follow(call.request.memberId, gone.signal)) {
          if (call.cancelled) return;
          await writeAndWait(call, { ...message, entries: [...message.entries] });
        }
      },
    ),

    ChargeTokens: handlers.unary<ChargeTokensRequest__Output, ChargeTokensResponse>(({ request }) => {
      accounts.charge(request.memberId, request.sequence, request.uses);
      return {};
    }),
  } satisfies Partial<ClusterServiceHandlers>;
}
