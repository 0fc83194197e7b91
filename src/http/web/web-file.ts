/** One file of the web app, as text. */
export interface WebFile {
  name: string
  type: string
  text: string
}
