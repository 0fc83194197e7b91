export default function Placeholder(_: Record<string, unknown>) {
  return (
    <main className="page" id="main">
      Soon
    </main>
  )
}
