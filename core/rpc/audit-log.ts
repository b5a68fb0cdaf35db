import type { Logger } from '../../runtime/log.ts';
import { type ActObject, acts } from './admin-acts.ts';
import { type CallEnd, millisecondsSince } from './call-journal.ts';
import { originOfMetadata } from './call-origin.ts';
import { type OperatorCall, operatorOf } from './operator.ts';

const PATH = '/gsq.v1.AdminService/';

/** A call of a method of the internal port. */
interface EndedCall extends OperatorCall {
  getPath(): string;
  /** The request message; absent if the method takes a stream of messages. */
  request?: unknown;
}

/** Describes an act. The types of its parameters depend on the method. */
type DescribeAny = (request: never, answer: never) => ActObject;

/** Writes one line for each administrative act: who did what, to which object, with which outcome. */
export class AuditLog {
  readonly #log: Logger;
  readonly #acts: ReadonlyMap<string, DescribeAny> = new Map(
    Object.entries(acts).map(([method, describe]) => [PATH + method, describe as DescribeAny]),
  );

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Logs a call that has ended, if its method is an act. `answer`: the answer; undefined if the call failed. */
  logEnd(call: EndedCall, answer: unknown, outcome: CallEnd, began: number): void {
    const path = call.getPath();
    const describe = this.#acts.get(path);
    if (!describe) return;
    this.#log.info(
      {
        audit: true,
        act: path.slice(PATH.length),
        ...operatorOf(call),
        object: describe(call.request as never, answer as never),
        outcome,
        ...originOfMetadata(call.metadata),
        ms: millisecondsSince(began),
      },
      'audit',
    );
  }
}
