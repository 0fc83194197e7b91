/** Files that go along with the program, by their path. */
declare module '*.css' {
  const path: string
  export default path
}
declare module '*.woff2' {
  const path: string
  export default path
}
declare module '*/service-worker.js' {
  const text: string
  export default text
}
declare module '*/browser/page.js' {
  const text: string
  export default text
}
declare module '*/browser/start.js' {
  const text: string
  export default text
}
declare module '*/sqlite-reader.js' {
  const text: string
  export default text
}
declare module '*/preview-worker.js' {
  const text: string
  export default text
}
/** Texts that become part of the bundle. */
declare module '*.txt' {
  const text: string
  export default text
}
