/** See bundle.mjs. `program`: absolute path of a TypeScript file. `root`: root folder of the project. */
export function bundleOf(program: string, root?: string): Promise<string | undefined>;
