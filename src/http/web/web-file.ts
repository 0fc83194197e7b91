/** One file of the web app, as it can be put into the executable. */
export interface WebFile {
  name: string
  type: string
  base64: string
}
