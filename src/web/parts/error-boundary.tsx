import { Component, type ReactNode } from 'react'

interface Props {
  /** What is shown is tried again once this is another one. */
  path: string
  /** Shown instead of what cannot be rendered. */
  fallback: ReactNode
  children: ReactNode
}

/** Without it, an error in one component would leave an empty window. React reports the error in the console. */
export class ErrorBoundary extends Component<Props, { isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError = () => ({ isBroken: true })

  override componentDidUpdate({ path }: Props) {
    if (this.state.isBroken && path !== this.props.path) this.setState({ isBroken: false })
  }

  override render = () => (this.state.isBroken ? this.props.fallback : this.props.children)
}
