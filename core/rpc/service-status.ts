import type { ServerUnaryCall } from '@grpc/grpc-js';
import type { CallAccount } from '../../proto/generated/codec/fetch.ts';
import type { GetStatusRequest__Output } from '../../proto/generated/gsq/v1/GetStatusRequest.ts';
import type { GetStatusResponse__Output } from '../../proto/generated/gsq/v1/GetStatusResponse.ts';
import type { Handlers } from './handler.ts';
import { jsonBody } from './json-body.ts';
import type { Readers } from './readers.ts';

/** State of the gsq service itself. The fields are those of `GetStatusResponse`. */
export type ServiceStatus = GetStatusResponse__Output;

/** Dependencies of `serviceStatusMethods`. */
export interface ServiceStatusDependencies {
  readers: Readers;
  status: () => ServiceStatus | Promise<ServiceStatus>;
}

/**
 * Creates the methods of ServerService that return the state of gsq itself. With GSQ_PAGE on, callers need no
 * credentials. Therefore the methods return no versions, no machine names and no data about single servers.
 */
export function serviceStatusMethods({ readers, status }: ServiceStatusDependencies, handlers: Handlers) {
  type Call = ServerUnaryCall<GetStatusRequest__Output, unknown>;
  const read = async (call: Call, account: CallAccount): Promise<ServiceStatus> => {
    const { reader, charge } = await readers.admit(call);
    account.tokenId = reader.tokenId;
    charge();
    return status();
  };

  return {
    GetStatus: handlers.unary(read),

    GetStatusJson: handlers.unary(async (call: Call, account) => {
      const { probers, scheduleLagSeconds, outage, storeHealthy, limited } = await read(call, account);
      const json = {
        probers,
        schedule_lag_seconds: scheduleLagSeconds,
        outage,
        store_healthy: storeHealthy,
        limited,
      };
      return jsonBody(Buffer.from(JSON.stringify(json)));
    }),
  };
}
