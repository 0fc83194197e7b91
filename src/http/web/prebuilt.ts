/** The bundled web app, set by `npm run compile` in the executable. Run from source, it is bundled at the first visit. */
export const prebuilt: WebFile[] | undefined = undefined

/** One file of the web app, as it can be put into the executable. */
export interface WebFile {
  name: string
  type: string
  base64: string
}
