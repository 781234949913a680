import "./tokens.css";
import "./base.css";
import "./layout.css";
import "./components.css";
