/** The first lines of a request, without the empty one that ends them. */
export const rawHead = (token: string, line: string) =>
  `${line} HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer ${token}\r\n`

export const rawGet = (token: string, path: string) => `${rawHead(token, `GET ${path}`)}\r\n`

export function rawPost(token: string, path: string, body: object): string {
  const text = JSON.stringify(body)
  const lines = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`
  return rawHead(token, `POST ${path}`) + lines + text
}
