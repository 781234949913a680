import "./tokens.css";
import "./base.css";
import "./layout.css";
import "./controls.css";
import "./surfaces.css";
import "./data.css";
import "./print.css";
