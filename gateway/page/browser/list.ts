// The script of the page `/`.
export {};
