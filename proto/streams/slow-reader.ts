/**
 * Data of the error CORE_1 with which the core ends the stream of a slow reader. The gateway does not reopen such a
 * stream.
 */
export const slowReader = { reader: 'slow' } as const;
