/** The icon of a workspace, or the first letter of its name. Decorative: the name is always next to it. */
export const WorkspaceIcon = ({ name, src }: { name: string; src: string | null }) =>
  src ? (
    <img className="workspace-icon" src={src} alt="" />
  ) : (
    <span className="workspace-icon" aria-hidden="true">
      {([...name.trim()][0] ?? '').toUpperCase()}
    </span>
  )
